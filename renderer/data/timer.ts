/** Calls once after `ms`; the result cancels. */
export function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms)
  return () => clearTimeout(timer)
}
