import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { carryOut, type DatabaseWork } from './database-work.ts'

/** Niceness of a copy, below ingest and delivery. */
const niceness = 10

// On Linux this is the thread's own priority; elsewhere that of the whole process.
if (process.platform === 'linux') setPriority(niceness)
parentPort?.postMessage({ found: carryOut(workerData as DatabaseWork) })
