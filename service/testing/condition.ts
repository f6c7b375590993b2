/** Polls a condition; rejects with `what` after `patience` ms. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  patience = 150_000,
): Promise<NonNullable<T> extends false ? never : NonNullable<T>> {
  const end = performance.now() + patience
  for (;;) {
    const value = await condition()
    if (value) return value as NonNullable<T> extends false ? never : NonNullable<T>
    if (performance.now() > end) throw new Error(`not within ${patience} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
