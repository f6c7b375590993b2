import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

/** What files call of the modules that they import, one of which can be made to fail. */
export interface FailingSteps {
  /** Calls of these files since `from`, in their order: `createHub`, and `listenOn (2)` for the second of a name. */
  readonly called: readonly string[]
  /** Begins anew; the call of this name throws. */
  from(failing?: string): void
}

/** What the failing call throws. */
export const failureOf = (step: string): Error => new Error(`${step} was made to fail`)

const imported = /^import (?!type )\{([^}]*)\} from '(\.{1,2}\/[^']+\.ts)'/gm

/**
 * Puts counting functions in the place of all functions that files import from modules of the project by name. To be called before those files
 * are imported, which must not have been done by anything else.
 */
export function failingSteps(...files: readonly URL[]): FailingSteps {
  const called: string[] = []
  const counts = new Map<string, number>()
  let failing: string | undefined
  const paths = files.map((file) => fileURLToPath(file))
  const note = (name: string): void => {
    // Others import the same modules: behind this function and the one in the place of the real one stands who calls.
    const caller = new Error(name).stack?.split('\n')[3] ?? ''
    if (!paths.some((path) => caller.includes(`${path}:`))) return
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const step = count === 1 ? name : `${name} (${count})`
    called.push(step)
    if (step === failing) throw failureOf(step)
  }
  const modules = new Map<string, Set<string>>()
  for (const file of files)
    for (const [, names = '', module = ''] of readFileSync(file, 'utf8').matchAll(imported)) {
      const path = fileURLToPath(new URL(module, file))
      const known = modules.get(path) ?? new Set()
      modules.set(path, known)
      for (const name of names.split(',')) known.add(name.trim())
    }
  for (const [path, names] of modules)
    vi.doMock(path, async (original) => {
      const real = (await original()) as Record<string, unknown>
      const counting = (name: string, value: unknown): unknown => {
        // A class stays itself.
        if (!names.has(name) || typeof value !== 'function' || /^class\b/.test(String(value))) return value
        const call = value as (...given: unknown[]) => unknown
        return (...given: unknown[]): unknown => {
          note(name)
          return call(...given)
        }
      }
      return Object.fromEntries(Object.entries(real).map(([name, value]) => [name, counting(name, value)]))
    })
  return {
    called,
    from(step) {
      failing = step
      called.length = 0
      counts.clear()
    },
  }
}
