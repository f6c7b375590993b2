import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../../platform/thread-priority.ts'
import { carryOut, type DatabaseWork } from './database-work.ts'

lowerThreadPriority()
parentPort?.postMessage({ found: carryOut(workerData as DatabaseWork) })
