import type { Support } from '../support/support.ts'
import type { RpcImplementer } from './implementer.ts'

/** Implements the procedures about asking somebody for help. */
export const supportRouter = (os: RpcImplementer['support'], support: Support) => ({
  bundle: os.bundle.handler(() => support.bundle()),
})
