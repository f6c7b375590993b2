/** Calls once after `ms`; returns a function that cancels it. */
export function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
