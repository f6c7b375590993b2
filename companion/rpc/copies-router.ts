import type { CopyReceivers } from '../receivers/copy-receivers.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of copy receivers. */
export const copiesRouter = (os: RpcImplementer['copies'], copies: CopyReceivers) => ({
  ...forwarded('copies', os, copies),
  state: os.state.handler(({ input }) => copies.state(input.profileId)),
  start: os.start.handler(({ input }) => copies.start(input.profileId, input.host, input.port)),
  stop: os.stop.handler(({ input }) => copies.stop(input.profileId)),
  list: os.list.handler(({ input }) => copies.list(input.profileId, input.limit)),
  replay: os.replay.handler(({ input }) => copies.replay(input.profileId, input.id)),
  tamper: os.tamper.handler(({ input }) => copies.tamper(input.profileId, input.id)),
  target: os.target.handler(({ input }) => copies.target(input.profileId)),
  setTarget: os.setTarget.handler(({ input }) => copies.setTarget(input.profileId, input.url, input.kinds)),
})
