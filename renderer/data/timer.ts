/** Calls once, in `ms`; returns what calls it off. */
export function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
