import { setFlagsFromString } from 'node:v8'

/** Heap growth in percent; V8's default lets small heaps grow fourfold (docs/decisions/014-bounds-of-listeners.md). */
const heapGrowingPercent = 20

/** Sets it for this process; call early. */
export const boundHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
