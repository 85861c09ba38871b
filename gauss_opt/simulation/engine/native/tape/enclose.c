/* The enclosure of a tape: bounds of its outputs over a box of its inputs. */
#include "interval.h"

#include <math.h>

static Interval point(double x) {
    const Interval all = {-INFINITY, INFINITY}, one = {x, x};
    return x == x ? one : all;
}

void tape_enclose(const Tape *tape, const Widening *w, const Interval *y, Interval t,
                  const double *p, int first_only, Interval *out, Interval *work) {
    const int count = first_only ? tape->first : tape->count;
    for (int i = 0; i < count; i++) {
        const Instruction k = tape->code[i];
        double number;
        switch (k.operation) {
            case OP_OUTPUT:
                out[k.out] = work[k.a];
                break;
            case OP_CONST:
                number = tape->constants[k.a];
                work[k.out] = point(number);
                break;
            case OP_STATE:
                work[k.out] = y[k.a];
                break;
            case OP_TIME:
                work[k.out] = t;
                break;
            case OP_PARAMETER:
                work[k.out] = point(p[k.a]);
                break;
            default:
                work[k.out] = interval_result(w, k.operation, work[k.a], work[k.b], k.a == k.b);
        }
    }
}
