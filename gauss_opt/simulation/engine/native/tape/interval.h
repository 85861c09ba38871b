/* Interval arithmetic, and the enclosure of a tape over a box of its inputs. */
#ifndef GAUSS_OPT_INTERVAL_H
#define GAUSS_OPT_INTERVAL_H

#include "tape.h"

/* All numbers from low to high; where nothing is known, all numbers. */
typedef struct {
    double low, high;
} Interval;

/* A unit in the last place, and the least argument whose logarithm is asked for. */
typedef struct {
    double ulp, least_logarithm;
} Widening;

Interval interval_result(const Widening *w, int operation, Interval a, Interval b, int same);

/* `first_only`: the first output and no other. */
void tape_enclose(const Tape *tape, const Widening *w, const Interval *y, Interval t,
                  const double *p, int first_only, Interval *out, Interval *work);

#endif
