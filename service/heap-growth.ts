import { setFlagsFromString } from 'node:v8'

/**
 * Growth of the JavaScript heap of each thread over its use after the last collection, in percent. V8's default lets a
 * small heap grow fourfold, so that short-lived objects keep 100 MB and more resident. Measured with
 * `e2e/soak/storm.ts` (docs/decisions/014-bounds-of-listeners.md).
 */
const heapGrowingPercent = 20

/** Sets it for this process; call early. */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
