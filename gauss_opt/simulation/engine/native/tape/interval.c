/* Interval arithmetic: bounds of every operation, widened outwards by its round-off.

   A bound that is no number, or that nothing is known of, makes the interval that of all numbers.
 */
#include "interval.h"

#include <math.h>

static const Interval ALL = {-INFINITY, INFINITY};
static const double PI = 3.14159265358979323846;
static const double LARGEST = 1.7e308;

static int finite_(Interval a) { return a.low > -INFINITY && a.high < INFINITY; }

static Interval known(double low, double high) {
    Interval found = {low, high};
    return low <= high ? found : ALL;
}

static Interval widened(const Widening *w, double low, double high, int ulps) {
    const double unit = ulps * w->ulp;
    return known(low - unit * fabs(low), high + unit * fabs(high));
}

static double least(double a, double b, double c, double d) { return fmin(fmin(a, b), fmin(c, d)); }
static double largest(double a, double b, double c, double d) {
    return fmax(fmax(a, b), fmax(c, d));
}

/* A product in which zero times infinity is zero: what is certainly zero stays so. */
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Interval size_of(Interval a) {
    return known(fmax(fmax(a.low, -a.high), 0), fmax(-a.low, a.high));
}

static Interval multiplied(const Widening *w, Interval a, Interval b) {
    const double p = product(a.low, b.low), q = product(a.low, b.high);
    const double r = product(a.high, b.low), s = product(a.high, b.high);
    return widened(w, least(p, q, r, s), largest(p, q, r, s), 2);
}

static Interval squared(const Widening *w, Interval a) {
    const Interval size = size_of(a);
    return widened(w, size.low * size.low, size.high * size.high, 2);
}

static Interval added(const Widening *w, Interval a, Interval b) {
    if (a.low == 0 && a.high == 0) return b;
    if (b.low == 0 && b.high == 0) return a;
    return widened(w, a.low + b.low, a.high + b.high, 2);
}

static Interval divided(const Widening *w, Interval a, Interval b) {
    if (!(b.low > 0 || b.high < 0) || !finite_(a) || !finite_(b)) return ALL;
    const double p = a.low / b.low, q = a.low / b.high, r = a.high / b.low, s = a.high / b.high;
    return widened(w, least(p, q, r, s), largest(p, q, r, s), 2);
}

static Interval root(const Widening *w, Interval a) {
    return a.low >= 0 ? widened(w, sqrt(a.low), sqrt(a.high), 2) : ALL;
}

static Interval exponential(const Widening *w, Interval a) {
    const double low = fmin(exp(a.low), LARGEST), high = exp(a.high), unit = 4 * w->ulp;
    return known(low - unit * low, high + unit * high);
}

/* Next to 1 the digits of a logarithm are lost: some are allowed for besides its own round-off. */
static Interval logarithm(const Widening *w, Interval a) {
    if (!(a.low > 0)) return ALL;
    const Interval found = widened(w, log(fmax(a.low, w->least_logarithm)), log(a.high), 4);
    const double slack = 4 * w->ulp;
    return known(a.low < w->least_logarithm ? -INFINITY : found.low - slack, found.high + slack);
}

static Interval whole_power(const Widening *w, Interval a, int n) {
    const Interval one = {1, 1};
    if (n < 0) return divided(w, one, whole_power(w, a, -n));
    if (n == 0) return one;
    if (n == 1) return a;
    if (n == 2) return squared(w, a);
    if (n % 2 == 0) a = size_of(a);
    return widened(w, pow(a.low, n), pow(a.high, n), 2 * n);
}

static Interval power(const Widening *w, Interval a, Interval b) {
    const double e = b.low;
    if (b.low != b.high) { /* a negative base has values at whole exponents only */
        if (!(a.low > 0)) return ALL;
        const Interval found = exponential(w, multiplied(w, b, logarithm(w, a)));
        return widened(w, found.low, found.high, 40);
    }
    if (fabs(e) < 64 && e == floor(e)) return whole_power(w, a, (int)e);
    if (!(e > 0 ? a.low >= 0 : a.low > 0)) return ALL;
    return e > 0 ? widened(w, pow(a.low, e), pow(a.high, e), 8)
                 : widened(w, pow(a.high, e), pow(a.low, e), 8);
}

/* Whether a point place + period Z may lie in the interval, round-off to the safe side. */
static int contains(const Widening *w, Interval a, double place, double period) {
    const double slack = 4 * w->ulp * (fabs(a.low) + fabs(a.high) + period);
    return ceil((a.low - place - slack) / period) * period + place <= a.high + slack;
}

static Interval wave(const Widening *w, Interval a, double first, double last, double top) {
    if (!finite_(a)) return known(-1, 1);
    const Interval ends = widened(w, fmin(first, last), fmax(first, last), 4);
    return known(contains(w, a, top - PI, 2 * PI) ? -1 : fmax(ends.low, -1),
                 contains(w, a, top, 2 * PI) ? 1 : fmin(ends.high, 1));
}

static Interval tangent(const Widening *w, Interval a) {
    if (!finite_(a) || contains(w, a, PI / 2, PI)) return ALL;
    return widened(w, tan(a.low), tan(a.high), 4);
}

static Interval angle(const Widening *w, Interval y, Interval x) {
    const double p = atan2(y.low, x.low), q = atan2(y.low, x.high);
    const double r = atan2(y.high, x.low), s = atan2(y.high, x.high), turn = PI * (1 + 4 * w->ulp);
    if (x.low <= 0 && y.low <= 0 && y.high >= 0) return known(-turn, turn);
    return widened(w, least(p, q, r, s), largest(p, q, r, s), 4);
}

static Interval on_domain(const Widening *w, Interval a, double low, double high,
                          double function(double), int falling) {
    if (!(a.low >= low && a.high <= high)) return ALL;
    return falling ? widened(w, function(a.high), function(a.low), 4)
                   : widened(w, function(a.low), function(a.high), 4);
}

/* Truths are numbers between 0, certainly false, and 1, certainly true. */
static Interval truth(Interval a) {
    return known(a.low > 0 || a.high < 0, !(a.low == 0 && a.high == 0));
}

static Interval negation(Interval a) {
    a = truth(a);
    return known(1 - a.high, 1 - a.low);
}

static Interval equal(Interval a, Interval b) {
    return known(a.low == b.high && a.high == b.low, !(a.high < b.low || b.high < a.low));
}

static Interval chosen(Interval condition, Interval a) {
    const Interval is = truth(condition), none = {0, 0};
    if (is.low > 0) return a;
    if (is.high == 0) return none;
    return known(fmin(a.low, 0), fmax(a.high, 0));
}

static Interval remainder_of(Interval a, Interval b) {
    const Interval divisor = size_of(b);
    if (!(divisor.low > 0)) return ALL;
    if (fmax(fabs(a.low), fabs(a.high)) < divisor.low) return a;
    return known(a.low >= 0 ? 0 : fmax(a.low, -divisor.high),
                 a.high <= 0 ? 0 : fmin(a.high, divisor.high));
}

static Interval with_sign(Interval a, Interval b) {
    const Interval size = size_of(a); /* the sign of a zero counts, and no bound knows it */
    return known(b.low > 0 ? size.low : -size.high, b.high < 0 ? -size.low : size.high);
}

static double sign_of(double x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

/* Operations that give a number even where an operand is none. */
static int takes_anything(int operation) {
    switch (operation) {
        case OP_LT:
        case OP_LE:
        case OP_EQ:
        case OP_NE:
        case OP_NOT:
        case OP_AND:
        case OP_OR:
        case OP_IF_ELSE_ZERO:
        case OP_FMIN:
        case OP_FMAX:
            return 1;
        default:
            return 0;
    }
}

/* What nothing is known of may be no number, and a bound of that must not look like knowledge. */
static int unknown(Interval a) { return a.low == -INFINITY && a.high == INFINITY; }

Interval interval_result(const Widening *w, int operation, Interval a, Interval b, int same) {
    const Interval one = {1, 1}, none = {0, 0};
    Interval size;
    if ((unknown(a) || unknown(b)) && !takes_anything(operation)) return ALL;
    switch (operation) {
        case OP_ASSIGN:
            return a;
        case OP_ADD:
            return added(w, a, b);
        case OP_SUB:
            if (same) return finite_(a) ? none : ALL;
            if (b.low == 0 && b.high == 0) return a;
            return widened(w, a.low - b.high, a.high - b.low, 2);
        case OP_MUL:
            return same ? squared(w, a) : multiplied(w, a, b);
        case OP_DIV:
            return divided(w, a, b);
        case OP_NEG:
            return known(-a.high, -a.low);
        case OP_EXP:
            return exponential(w, a);
        case OP_LOG:
            return logarithm(w, a);
        case OP_POW:
        case OP_CONSTPOW:
            return power(w, a, b);
        case OP_SQRT:
            return root(w, a);
        case OP_SQ:
            return squared(w, a);
        case OP_TWICE:
            return known(2 * a.low, 2 * a.high);
        case OP_SIN:
            return wave(w, a, sin(a.low), sin(a.high), PI / 2);
        case OP_COS:
            return wave(w, a, cos(a.low), cos(a.high), 0);
        case OP_TAN:
            return tangent(w, a);
        case OP_ASIN:
            return on_domain(w, a, -1, 1, asin, 0);
        case OP_ACOS:
            return on_domain(w, a, -1, 1, acos, 1);
        case OP_ATAN:
            return widened(w, atan(a.low), atan(a.high), 4);
        case OP_LT:
            return known(a.high < b.low, !(b.high <= a.low));
        case OP_LE:
            return known(a.high <= b.low, !(b.high < a.low));
        case OP_EQ:
            return equal(a, b);
        case OP_NE:
            return negation(equal(a, b));
        case OP_NOT:
            return negation(a);
        case OP_AND:
            a = truth(a), b = truth(b);
            return known(a.low && b.low, a.high && b.high);
        case OP_OR:
            a = truth(a), b = truth(b);
            return known(a.low || b.low, a.high || b.high);
        case OP_FLOOR:
            return known(floor(a.low), floor(a.high));
        case OP_CEIL:
            return known(ceil(a.low), ceil(a.high));
        case OP_FMOD:
            return remainder_of(a, b);
        case OP_FABS:
            return size_of(a);
        case OP_SIGN:
            return known(sign_of(a.low), sign_of(a.high));
        case OP_COPYSIGN:
            return with_sign(a, b);
        case OP_IF_ELSE_ZERO:
            return chosen(a, b);
        case OP_ERF:
            return widened(w, erf(a.low), erf(a.high), 4);
        case OP_FMIN:
            return known(fmin(a.low, b.low), fmin(a.high, b.high));
        case OP_FMAX:
            return known(fmax(a.low, b.low), fmax(a.high, b.high));
        case OP_INV:
            return divided(w, one, a);
        case OP_SINH:
            return widened(w, sinh(a.low), sinh(a.high), 4);
        case OP_COSH:
            size = size_of(a);
            return widened(w, fmin(cosh(size.low), LARGEST), cosh(size.high), 4);
        case OP_TANH:
            return widened(w, tanh(a.low), tanh(a.high), 4);
        case OP_ASINH:
            return widened(w, asinh(a.low), asinh(a.high), 4);
        case OP_ACOSH:
            return on_domain(w, a, 1, INFINITY, acosh, 0);
        case OP_ATANH:
            return on_domain(w, a, -1, 1, atanh, 0);
        case OP_ATAN2:
            return angle(w, a, b);
        case OP_LOG1P:
            return on_domain(w, a, -1, INFINITY, log1p, 0);
        case OP_EXPM1:
            return widened(w, expm1(a.low), expm1(a.high), 4);
        case OP_HYPOT:
            return root(w, added(w, squared(w, a), squared(w, b)));
        default:
            return ALL;
    }
}
