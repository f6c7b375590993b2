import { setTimeout } from 'node:timers/promises'

/** Waits for a condition; rejects with its name after 40 s. */
export async function waitFor(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patience = 150_000,
): Promise<void> {
  const until = Date.now() + patience
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`waited ${patience} ms for ${what}`)
    await setTimeout(10)
  }
}
