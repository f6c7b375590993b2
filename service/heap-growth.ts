import { setFlagsFromString } from 'node:v8'

/**
 * How much the JavaScript heap of the service and of its threads may grow over what was in use after the last collection, in percent. V8's own rule
 * lets a small heap grow to four times that, so that a flood of short-lived objects keeps 100 MB and more of them resident. Measured with
 * `e2e/soak/storm.ts` (docs/decisions/014-bounds-of-listeners.md).
 */
const heapGrowingPercent = 20

/** Sets it for this process; called before there is much on the heap. */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
