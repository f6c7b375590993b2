import type { Support } from '../support/support.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of support. */
export const supportRouter = (os: RpcImplementer['support'], support: Support) => ({
  bundle: os.bundle.handler(() => support.bundle()),
})
