import type { Keeping } from '../keeping/keeping.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of the quarantine. */
export const keepingRouter = (os: RpcImplementer['keeping'], keeping: Keeping) => ({
  list: os.list.handler(() => keeping.list()),
  restore: os.restore.handler(({ input }) => keeping.restore(input.where, input.id)),
  remove: os.remove.handler(({ input }) => keeping.remove(input.where, input.id)),
  seen: os.seen.handler(() => keeping.seen()),
})
