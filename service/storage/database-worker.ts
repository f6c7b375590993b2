import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { carryOut, type DatabaseWork } from './database-work.ts'

/** How far a copy steps back for ingest and delivery, as `nice` counts. */
const niceness = 10

// On Linux this is the thread's own priority; elsewhere it would be that of the whole service.
if (process.platform === 'linux') setPriority(niceness)
parentPort?.postMessage({ found: carryOut(workerData as DatabaseWork) })
