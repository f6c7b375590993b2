import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Opens the store of a folder on the engine under test. */
const opener = 'service/storage/testing/open-store.ts'
/** Tests of Redis and of an object store, which are started beside. */
const isOfEngines = (test: string): boolean => /describeOn(?:Redis|S3)\(/.test(readFileSync(test, 'utf8'))
/** A whole service opens one too; helpers of tests know the engine without opening any. */
const others: ReadonlySet<string> = new Set(['service/testing/start-service.ts', 'service/testing/engines.ts'])

const slashed = (file: string): string => file.split(path.sep).join('/')
const importsOf = (file: string): string[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g), ([, name]) =>
    slashed(path.join(path.dirname(file), name!)),
  ).filter((imported) => existsSync(imported))

/**
 * Test files of the service that open a store by themselves, or break it, and not through a whole service alone, and
 * those of Redis and of an object store.
 * `npm test` runs these on PostgreSQL; all that need a store take too long there.
 */
export function storeTests(): string[] {
  const read = new Map<string, string[]>()
  const doesReach = (test: string): boolean => {
    const known = new Set([test])
    // A set takes what is added while it is gone through.
    for (const file of known) {
      if (file === opener) return true
      if (others.has(file)) continue
      if (!read.has(file)) read.set(file, importsOf(file))
      for (const imported of read.get(file)!) known.add(imported)
    }
    return false
  }
  return globSync('service/**/*.test.ts')
    .map(slashed)
    .filter((test) => doesReach(test) || isOfEngines(test))
    .sort()
}
