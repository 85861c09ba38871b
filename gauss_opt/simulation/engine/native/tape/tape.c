/* Plain evaluation of a tape: to the last bit what CasADi gives for the same function. */
#include "tape.h"

#include <math.h>

static double sign_of(double x) { return x < 0 ? -1 : x > 0 ? 1 : x; }

static double result_of(int operation, double x, double y) {
    switch (operation) {
        case OP_ASSIGN:
            return x;
        case OP_ADD:
            return x + y;
        case OP_SUB:
            return x - y;
        case OP_MUL:
            return x * y;
        case OP_DIV:
            return x / y;
        case OP_NEG:
            return -x;
        case OP_EXP:
            return exp(x);
        case OP_LOG:
            return log(x);
        case OP_POW:
            return pow(x, y);
        case OP_CONSTPOW:
            return pow(x, y);
        case OP_SQRT:
            return sqrt(x);
        case OP_SQ:
            return x * x;
        case OP_TWICE:
            return 2 * x;
        case OP_SIN:
            return sin(x);
        case OP_COS:
            return cos(x);
        case OP_TAN:
            return tan(x);
        case OP_ASIN:
            return asin(x);
        case OP_ACOS:
            return acos(x);
        case OP_ATAN:
            return atan(x);
        case OP_LT:
            return x < y;
        case OP_LE:
            return x <= y;
        case OP_EQ:
            return x == y;
        case OP_NE:
            return x != y;
        case OP_NOT:
            return !x;
        case OP_AND:
            return x && y;
        case OP_OR:
            return x || y;
        case OP_FLOOR:
            return floor(x);
        case OP_CEIL:
            return ceil(x);
        case OP_FMOD:
            return fmod(x, y);
        case OP_FABS:
            return fabs(x);
        case OP_SIGN:
            return sign_of(x);
        case OP_COPYSIGN:
            return copysign(x, y);
        case OP_IF_ELSE_ZERO:
            return x ? y : 0;
        case OP_ERF:
            return erf(x);
        case OP_FMIN:
            return fmin(x, y);
        case OP_FMAX:
            return fmax(x, y);
        case OP_INV:
            return 1 / x;
        case OP_SINH:
            return sinh(x);
        case OP_COSH:
            return cosh(x);
        case OP_TANH:
            return tanh(x);
        case OP_ASINH:
            return asinh(x);
        case OP_ACOSH:
            return acosh(x);
        case OP_ATANH:
            return atanh(x);
        case OP_ATAN2:
            return atan2(x, y);
        case OP_LOG1P:
            return log1p(x);
        case OP_EXPM1:
            return expm1(x);
        case OP_HYPOT:
            return hypot(x, y);
        case OP_REMAINDER:
            return remainder(x, y);
        default:
            return NAN;
    }
}

void tape_run(const Tape *tape, const double *y, double t, const double *p, double *out,
              double *work) {
    const Instruction *code = tape->code;
    for (int i = 0; i < tape->count; i++) {
        const Instruction k = code[i];
        switch (k.operation) { /* the most frequent ones without a call */
            case OP_MUL:
                work[k.out] = work[k.a] * work[k.b];
                break;
            case OP_ADD:
                work[k.out] = work[k.a] + work[k.b];
                break;
            case OP_SUB:
                work[k.out] = work[k.a] - work[k.b];
                break;
            case OP_OUTPUT:
                out[k.out] = work[k.a];
                break;
            case OP_CONST:
                work[k.out] = tape->constants[k.a];
                break;
            case OP_STATE:
                work[k.out] = y[k.a];
                break;
            case OP_TIME:
                work[k.out] = t;
                break;
            case OP_PARAMETER:
                work[k.out] = p[k.a];
                break;
            default:
                work[k.out] = result_of(k.operation, work[k.a], work[k.b]);
        }
    }
}
