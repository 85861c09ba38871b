/* A traced function as a list of operations, and its plain evaluation. */
#ifndef GAUSS_OPT_TAPE_H
#define GAUSS_OPT_TAPE_H

/* The order is that of OPERATIONS in gauss_opt/model/tapes/tape.py. */
enum Operation {
    OP_CONST,
    OP_STATE,
    OP_TIME,
    OP_PARAMETER,
    OP_OUTPUT,
    OP_ASSIGN,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_NEG,
    OP_EXP,
    OP_LOG,
    OP_POW,
    OP_CONSTPOW,
    OP_SQRT,
    OP_SQ,
    OP_TWICE,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_LT,
    OP_LE,
    OP_EQ,
    OP_NE,
    OP_NOT,
    OP_AND,
    OP_OR,
    OP_FLOOR,
    OP_CEIL,
    OP_FMOD,
    OP_FABS,
    OP_SIGN,
    OP_COPYSIGN,
    OP_IF_ELSE_ZERO,
    OP_ERF,
    OP_FMIN,
    OP_FMAX,
    OP_INV,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_ASINH,
    OP_ACOSH,
    OP_ATANH,
    OP_ATAN2,
    OP_LOG1P,
    OP_EXPM1,
    OP_HYPOT,
    OP_REMAINDER,
    N_OPERATIONS
};

/* One operation: where the result goes, and where its operands are.

   CONST: a is the place among the constants. STATE, PARAMETER: a is the place among the inputs.
   OUTPUT: out is the place among the outputs. */
typedef struct {
    int operation, out, a, b;
} Instruction;

typedef struct {
    int count;    /* instructions */
    int first;    /* as many of them give the first output */
    int n_work;   /* numbers in between */
    int n_inputs; /* of the state: coordinates that it depends on */
    int n_outputs;
    const Instruction *code;
    const double *constants;
} Tape;

void tape_run(const Tape *tape, const double *y, double t, const double *p, double *out,
              double *work);

#endif
