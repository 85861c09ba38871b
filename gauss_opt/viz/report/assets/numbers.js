/* Numbers as text, ticks of an axis, and search in sorted times. */

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶",
  7: "⁷", 8: "⁸", 9: "⁹" };
const superscript = (n) => String(n).replace(/[-0-9]/g, (c) => SUPERSCRIPTS[c]);

/** A number to so many significant digits, without trailing zeros. */
function show(x, digits = 6) {
  if (x === null || x === undefined) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, power] = x.toExponential(Math.min(digits, 5) - 1).split("e");
    return `${mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa}e${Number(power)}`;
  }
  const text = x.toPrecision(digits);
  if (text.includes("e")) return String(Number(text));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number to so many digits of `size`: what is small beside it has fewer, and may be 0. */
function showBeside(x, size, digits) {
  if (x === null || x === undefined || x === 0 || !(size > 0)) return show(x, digits);
  const power = (value) => Math.floor(Math.log10(value));
  const left = digits + Math.min(power(Math.abs(x)) - power(size), 0);
  const place = 10 ** (power(size) - digits + 1);
  return left > 0 ? show(x, left) : Math.abs(x) >= place / 2 ? show(Math.sign(x) * place, 1) : "0";
}

/** A small number such as a residual: two digits and a power. */
const showSmall = (x) => (x === null ? "–" : x === 0 ? "0" : x.toExponential(1));

/** Round steps between low and high, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const values = [];
  // Counted from 0: far from zero, first + 1 can be first.
  for (let i = 0; i <= 2 * count + 2; i += 1) {
    const value = (first + i) * step;
    if (value > high + 1e-9 * step) break;
    if (!values.length || value > values[values.length - 1]) values.push(value);
  }
  return { values, step };
}

const decimals = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

/** First index whose entry is at least x (or beyond x). */
function lowerBound(sorted, x, beyond = false) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < x || (beyond && sorted[middle] === x)) low = middle + 1;
    else high = middle;
  }
  return low;
}
