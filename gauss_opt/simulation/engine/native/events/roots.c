/* Where a gap reaches zero between times at which it is known with its rate.

   As in event_driven/roots.py and base/sign_change.py. */
#include "../engine.h"

#include <math.h>

enum { MOST_DEPTH = 6, MOST_HALVINGS = 40, PATIENCE = 3, MOST_ROUNDS = 100 };
static const double STALLED = 0.25;

/* One gap over a stretch of time, with its value and rate at both ends. */
typedef struct {
    Run *run;
    int function;
    double noise;
} Gap;
typedef struct {
    double t0, t1, g0, g1, r0, r1;
} Stretch;

static const Crossing NONE = {0, 0, 0};

static Crossing crossing(double t, int graze) {
    const Crossing found = {t, 1, graze};
    return found;
}

void gap_and_rate(Run *run, int function, double t, double *gap, double *rate) {
    const Function *f = run->p.functions + function;
    piece_at_some(run, t, run->p.indices + f->coords, f->n_coords, run->w.input);
    const Tape tape = program_tape(&run->p, f->point);
    tape_run(&tape, run->w.input, t, run->parameters, run->w.point, run->w.tape);
    *gap = run->w.point[0], *rate = run->w.point[1];
}

static double rate_at(void *of, double t) {
    Gap *gap = of;
    double g, r;
    gap_and_rate(gap->run, gap->function, t, &g, &r);
    return r;
}

static double interpolated(double a, double fa, double b, double fb, double c, double fc) {
    if (fc == fa || fc == fb) return 0.5;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return 0.5;
    return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
}

/* A time of the new sign, or a zero, with the old sign next to it (Chandrupatla's method). */
double sign_change(double f(void *, double), void *of, const Settings *s, double t0, double t1,
                   double f0, double f1) {
    if (fabs(f0) <= s->asked_again * fabs(f1)) {
        f0 = f(of, t0);
        if (f0 == 0 || (f0 > 0) == (f1 > 0)) return t0;
    } else if (fabs(f1) <= s->asked_again * fabs(f0)) {
        f1 = f(of, t1);
        if (f1 == 0 || (f0 > 0) == (f1 > 0)) return t1;
    }
    const double finest = s->finest_time * (t1 - t0);
    double share = f0 / (f0 - f1), width = t1 - t0;
    for (int tries = 0;;) {
        const double shortest = fmax(s->adjacent_times * fmax(fabs(t0), fabs(t1)), finest);
        if (!(t1 - t0 > shortest)) return t1;
        const double least = 0.5 * shortest / (t1 - t0);
        share = fmin(fmax(share, least), 1 - least);
        const double t = share == 0.5 && t0 < 0 && t1 > 0 ? 0 : t0 + share * (t1 - t0);
        if (!(t0 < t && t < t1)) return t1;
        const double value = f(of, t);
        if (value == 0) return t;
        if ((value > 0) == (f0 > 0)) {
            const double given_up = t0, fg = f0;
            t0 = t, f0 = value;
            share = interpolated(t0, f0, t1, f1, given_up, fg);
        } else {
            const double given_up = t1, fg = f1;
            t1 = t, f1 = value;
            share = 1 - interpolated(t1, f1, t0, f0, given_up, fg);
        }
        tries++;
        if (t1 - t0 <= 0.5 * width) width = t1 - t0, tries = 0;
        if (tries >= PATIENCE || !isfinite(share)) share = 0.5;
    }
}

/* The zero between a time with a positive and a time with a negative gap. */
static double zero(Gap *gap, double above, double below) {
    double t = below, least = INFINITY;
    for (int i = 0; i < MOST_ROUNDS; i++) {
        double g, r;
        gap_and_rate(gap->run, gap->function, t, &g, &r);
        if (g == 0 || (fabs(g) <= gap->noise && fabs(g) >= STALLED * least)) break;
        least = fabs(g);
        if (g > 0)
            above = t;
        else
            below = t;
        const double newton = r != 0 ? t - g / r : above;
        if (fabs(newton - t) <= gap->run->s.newton_step * fabs(t)) break;
        const int inside = fmin(above, below) < newton && newton < fmax(above, below);
        t = inside ? newton : 0.5 * (above + below);
        if (t == above || t == below) break;
    }
    return t;
}

/* The local minimum of the cubic with these ends, how far after the start; 0: there is none. */
static int local_minimum(const Stretch *x, double *after, double *lowest) {
    const double h = x->t1 - x->t0;
    const double c2 = 3 * (x->g1 - x->g0) - h * (2 * x->r0 + x->r1);
    const double c3 = h * (x->r0 + x->r1) - 2 * (x->g1 - x->g0);
    const double discriminant = c2 * c2 - 3 * c3 * h * x->r0;
    if (discriminant < 0) return 0;
    const double root = sqrt(discriminant), divisor = c2 > 0 ? c2 + root : 3 * c3;
    if (divisor == 0) return 0;
    const double s = c2 > 0 ? -h * x->r0 / divisor : (root - c2) / divisor;
    if (!(s > 0 && s < 1)) return 0;
    *after = s * h, *lowest = x->g0 + s * (h * x->r0 + s * (c2 + s * c3));
    return 1;
}

static int lowest_inside(const Gap *gap, const Stretch *x, double *after, double *lowest) {
    const double h = x->t1 - x->t0, inside = gap->run->s.inside;
    return local_minimum(x, after, lowest) && inside * h < *after && *after < (1 - inside) * h;
}

static Crossing in_interval(Gap *gap, Stretch x, int depth);

static void halves(Gap *gap, const Stretch *x, double t, Stretch *before, Stretch *behind) {
    double g, r;
    gap_and_rate(gap->run, gap->function, t, &g, &r);
    *before = *behind = *x;
    before->t1 = behind->t0 = t, before->g1 = behind->g0 = g, before->r1 = behind->r0 = r;
}

static Crossing in_halves(Gap *gap, const Stretch *x, double t, int depth) {
    Stretch before, behind;
    halves(gap, x, t, &before, &behind);
    const Crossing found = in_interval(gap, before, depth);
    return found.found ? found : in_interval(gap, behind, depth);
}

/* The first crossing of a gap that is positive at first and not in the end. */
static Crossing falling(Gap *gap, Stretch x, int depth) {
    double after, lowest;
    if (!lowest_inside(gap, &x, &after, &lowest) || lowest > gap->noise || depth >= MOST_DEPTH) {
        return crossing(zero(gap, x.t0, x.t1), 0);
    }
    return in_halves(gap, &x, x.t0 + after, depth + 1);
}

static double tangents_meet(const Stretch *x) {
    const double h = x->t1 - x->t0, s = (x->g1 - x->g0 - x->r1 * h) / (x->r0 - x->r1);
    return x->g0 + x->r0 * fmin(fmax(s, 0), h);
}

static Crossing in_interval(Gap *gap, Stretch x, int depth) {
    const Settings *s = &gap->run->s;
    double after, lowest = INFINITY, rate;
    if (x.g0 <= 0 && x.g1 <= 0 && x.r0 <= 0) return crossing(x.t0, 0);
    if (x.g1 < 0) return x.g0 <= 0 ? crossing(x.t0, 0) : falling(gap, x, depth);
    if (x.r0 < 0 && x.r1 > 0) {
        const double touching = s->graze * gap->noise;
        if (tangents_meet(&x) > touching) return NONE;
        const double bottom = sign_change(rate_at, gap, s, x.t0, x.t1, x.r0, x.r1);
        gap_and_rate(gap->run, gap->function, bottom, &lowest, &rate);
        if (lowest > touching) return NONE;
        return lowest >= -touching ? crossing(bottom, 1) : crossing(zero(gap, x.t0, bottom), 0);
    }
    if (!local_minimum(&x, &after, &lowest)) lowest = INFINITY;
    lowest = fmin(fmin(x.g0, x.g1), lowest);
    if (depth < MOST_DEPTH && lowest <= gap->noise) {
        return in_halves(gap, &x, 0.5 * (x.t0 + x.t1), depth + 1);
    }
    return NONE;
}

static Crossing leaving(Gap *gap, Stretch x, int depth);

static Crossing leaving_in_halves(Gap *gap, const Stretch *x, double t, int depth) {
    Stretch before, behind;
    halves(gap, x, t, &before, &behind);
    const Crossing found = leaving(gap, before, depth);
    if (found.found) return found;
    return behind.g0 <= gap->noise ? leaving(gap, behind, depth) : in_interval(gap, behind, depth);
}

/* The return of a gap that starts at zero with a positive rate. */
static Crossing leaving(Gap *gap, Stretch x, int depth) {
    double after, lowest;
    if (x.g1 > gap->noise && x.r1 >= 0) {
        if (!lowest_inside(gap, &x, &after, &lowest) || lowest > gap->noise ||
            depth >= MOST_DEPTH) {
            return NONE;
        }
        return leaving_in_halves(gap, &x, x.t0 + after, depth + 1);
    }
    if (x.r0 > 0 && x.r1 < 0) { /* between leaving and returning there is a maximum */
        const double top = sign_change(rate_at, gap, &gap->run->s, x.t0, x.t1, x.r0, x.r1);
        Stretch down = x;
        down.t0 = top;
        gap_and_rate(gap->run, gap->function, top, &down.g0, &down.r0);
        if (down.g0 > 0) return x.g1 <= 0 ? falling(gap, down, depth) : NONE;
        return x.g1 < -gap->noise ? crossing(x.t0, 0) : NONE;
    }
    const int rising = x.r0 > 0 && x.r1 >= 0;
    if (rising && x.g1 < x.g0 - gap->noise && depth < MOST_DEPTH) {
        return leaving_in_halves(gap, &x, 0.5 * (x.t0 + x.t1), depth + 1);
    }
    if (x.g1 >= -gap->noise || rising) return NONE;
    double soon = x.t1;
    for (int i = 0; i < MOST_HALVINGS; i++) {
        Stretch rest = x;
        soon = 0.5 * (x.t0 + soon);
        gap_and_rate(gap->run, gap->function, soon, &rest.g0, &rest.r0);
        if (rest.r0 > 0) {
            rest.t0 = soon;
            return depth < 2 * MOST_DEPTH ? leaving(gap, rest, depth + 1) : crossing(x.t0, 0);
        }
    }
    return crossing(x.t0, 0); /* it never rose above round-off */
}

/* The first time a gap goes from positive to negative, or touches zero, between samples. */
Crossing first_crossing(Run *run, int function, const double *t, const double *g, const double *r,
                        int count, double noise, int leaves) {
    Gap gap = {run, function, noise};
    leaves = leaves && g[0] <= noise;
    for (int i = 0; i + 1 < count; i++) {
        const Stretch x = {t[i], t[i + 1], g[i], g[i + 1], r[i], r[i + 1]};
        Crossing found;
        if (leaves) {
            if (x.g1 <= noise && x.r0 <= 0 && x.r1 <= 0 && x.g1 > -noise) continue;
            found = leaving(&gap, x, 0);
            leaves = !found.found && x.g1 <= noise;
        } else {
            found = in_interval(&gap, x, 0);
        }
        if (found.found) return found;
    }
    return NONE;
}
