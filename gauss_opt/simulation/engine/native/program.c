/* A program as it comes, checked so that no tape and no index can reach outside the arrays. */
#include "engine.h"

enum { TAPE_WIDTH = 8, MOST = 1 << 24, MOST_EQUALITIES = 4000 };

static int takes_two(int operation) {
    switch (operation) {
        case OP_ADD:
        case OP_SUB:
        case OP_MUL:
        case OP_DIV:
        case OP_POW:
        case OP_CONSTPOW:
        case OP_LT:
        case OP_LE:
        case OP_EQ:
        case OP_NE:
        case OP_AND:
        case OP_OR:
        case OP_FMOD:
        case OP_COPYSIGN:
        case OP_IF_ELSE_ZERO:
        case OP_FMIN:
        case OP_FMAX:
        case OP_ATAN2:
        case OP_HYPOT:
        case OP_REMAINDER:
            return 1;
        default:
            return 0;
    }
}

static int inside(int value, int stop) { return value >= 0 && value < stop; }

/* A stretch of an array that begins at `start`. */
static int within(int start, int count, ptrdiff_t stop) {
    return start >= 0 && count >= 0 && start <= stop && count <= stop - start;
}

Tape program_tape(const Program *p, int number) {
    const int *row = p->tapes + (size_t)number * TAPE_WIDTH;
    const Tape tape = {
        row[1], row[2], row[3], row[4], row[5], p->code + row[0], p->constants + row[6]};
    return tape;
}

static const char *instruction_fault(const Instruction *k, const int *row, int np) {
    if (!inside(k->operation, N_OPERATIONS)) return "an operation that does not exist";
    if (k->operation == OP_OUTPUT) {
        return inside(k->out, row[5]) && inside(k->a, row[3]) ? NULL : "an output out of range";
    }
    if (!inside(k->out, row[3])) return "a result out of range";
    if (k->operation == OP_TIME) return NULL;
    const int stop = k->operation == OP_CONST       ? row[7]
                     : k->operation == OP_STATE     ? row[4]
                     : k->operation == OP_PARAMETER ? np
                                                    : row[3];
    if (!inside(k->a, stop)) return "an operand out of range";
    if (!inside(k->b, row[3]) && (takes_two(k->operation) || k->operation > OP_OUTPUT)) {
        return "an operand out of range";
    }
    return NULL;
}

static const char *tape_fault(const Program *p, const int *row, ptrdiff_t n_code,
                              ptrdiff_t n_constants) {
    if (!within(row[0], row[1], n_code)) return "a tape beyond its instructions";
    if (!within(row[6], row[7], n_constants)) return "a tape beyond its constants";
    if (!inside(row[2], row[1] + 1)) return "a tape whose first output is not in it";
    for (int i = 3; i < 6; i++) {
        if (!inside(row[i], MOST)) return "a tape of impossible size";
    }
    for (int i = 0; i < row[1]; i++) {
        const char *fault = instruction_fault(p->code + row[0] + i, row, p->np);
        if (fault) return fault;
    }
    return NULL;
}

static const char *equalities_fault(Program *p, ptrdiff_t n_columns, ptrdiff_t n_pairs) {
    if (p->starts[0] != 0 || p->pair_starts[0] != 0) return "rows that do not begin at zero";
    for (int i = 0; i < p->ne; i++) {
        if (p->starts[i + 1] < p->starts[i] || p->starts[i + 1] > n_columns) {
            return "rows out of order";
        }
        if (p->pair_starts[i + 1] < p->pair_starts[i] || p->pair_starts[i + 1] > n_pairs) {
            return "pairs of rows out of order";
        }
        for (int j = p->pair_starts[i]; j < p->pair_starts[i + 1]; j++) {
            if (!inside(p->pairs[j], i + 1)) return "a pair with a later row";
        }
    }
    for (int j = 0; j < p->starts[p->ne]; j++) {
        if (!inside(p->columns[j], p->nv)) return "a column out of range";
    }
    return NULL;
}

static const char *coordinates_fault(const Program *p, int start, int count, int stop,
                                     ptrdiff_t n_indices) {
    if (!within(start, count, n_indices)) return "a function beyond its indices";
    for (int i = 0; i < count; i++) {
        if (!inside(p->indices[start + i], stop)) return "an index of a function out of range";
    }
    return NULL;
}

static const char *function_fault(const Program *p, const Function *f, int is_row,
                                  ptrdiff_t n_indices) {
    const char *fault;
    if (!inside(f->guard, p->n_tapes)) return "a guard without a tape";
    const int *guard = p->tapes + (size_t)f->guard * TAPE_WIDTH;
    fault = coordinates_fault(p, f->guard_coords, f->n_guard_coords, p->nq + 3 * p->nv, n_indices);
    if (fault) return fault;
    if (guard[4] != f->n_guard_coords) return "a guard of other coordinates";
    if (guard[5] < 1 || guard[5] > 3) return "a guard with other outputs";
    if (!is_row) return NULL;
    if (!inside(f->point, p->n_tapes)) return "a row without a tape";
    const int *point = p->tapes + (size_t)f->point * TAPE_WIDTH;
    fault = coordinates_fault(p, f->coords, f->n_coords, p->n, n_indices);
    if (!fault) fault = coordinates_fault(p, f->columns, f->n_columns, p->nv, n_indices);
    if (fault) return fault;
    if (point[4] != f->n_coords) return "a row of other coordinates";
    return point[5] == 3 + f->n_columns ? NULL : "a row with other outputs";
}

/* Where things are among the outputs of the smooth tape. */
static int smooth_outputs(Program *p) {
    int end = p->mass_kind == MASS_FUNCTION ? p->nv * p->nv : 0;
    p->at_force = end, end += p->nv;
    p->at_qdot = end, end += p->has_kinematics ? p->nq : 0;
    p->at_map = end, end += p->has_kinematics ? p->nq * p->nv : 0;
    p->at_entries = end, end += p->starts[p->ne];
    p->at_rhs = end, end += p->ne;
    p->at_value = end, end += p->ne;
    p->at_rate = end, end += p->ne;
    return end;
}

/* What is wrong with a program, or NULL; it is complete then. */
const char *program_fault(Program *p, const int *header, ptrdiff_t n_code, ptrdiff_t n_constants,
                          ptrdiff_t n_columns, ptrdiff_t n_pairs, ptrdiff_t n_indices) {
    p->n = p->nq + p->nv, p->m = p->ne + p->nc + p->nl;
    if (!inside(p->mass_kind, 3) || !inside(header[8], 2)) return "a mass of no known kind";
    if (p->ne > MOST_EQUALITIES) return "too many equality rows";
    if (p->nq != p->nv && !p->has_kinematics) return "other positions than velocities";
    const char *fault = equalities_fault(p, n_columns, n_pairs);
    for (int i = 0; !fault && i < p->n_tapes; i++) {
        fault = tape_fault(p, p->tapes + (size_t)i * TAPE_WIDTH, n_code, n_constants);
    }
    if (fault) return fault;
    if (p->n_tapes < 1 || p->tapes[4] != p->n) return "a smooth part of other coordinates";
    if (p->tapes[5] != smooth_outputs(p)) return "a smooth part with other outputs";
    if (p->hidden) {
        if (!inside(p->hidden, p->n_tapes)) return "a condition without a tape";
        const int *hidden = p->tapes + (size_t)p->hidden * TAPE_WIDTH;
        if (hidden[4] != 2 * p->n + 3 || hidden[5] != 1) return "a condition of another size";
    }
    for (int i = 0; !fault && i < p->nc + p->nl + p->nf; i++) {
        fault = function_fault(p, p->functions + i, i < p->nc + p->nl, n_indices);
    }
    return fault;
}
