import type { Keeping } from '../keeping/keeping.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of the quarantine. */
export const keepingRouter = (os: RpcImplementer['keeping'], keeping: Keeping) => ({
  ...forwarded('keeping', os, keeping),
  restore: os.restore.handler(({ input }) => keeping.restore(input.where, input.id)),
  remove: os.remove.handler(({ input }) => keeping.remove(input.where, input.id)),
})
