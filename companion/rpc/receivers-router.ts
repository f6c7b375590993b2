import type { Receivers } from '../receivers/receivers.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of callback receivers. */
export const receiversRouter = (os: RpcImplementer['receivers'], receivers: Receivers) => ({
  ...forwarded('receivers', os, receivers),
  state: os.state.handler(({ input }) => receivers.state(input.profileId)),
  start: os.start.handler(({ input }) => receivers.start(input.profileId, input.host, input.port)),
  stop: os.stop.handler(({ input }) => receivers.stop(input.profileId)),
  register: os.register.handler(({ input }) => receivers.register(input.profileId, input.url)),
  deliveries: os.deliveries.handler(({ input }) => receivers.deliveries(input.profileId, input.limit)),
  replay: os.replay.handler(({ input }) => receivers.replay(input.profileId, input.id)),
  tamper: os.tamper.handler(({ input }) => receivers.tamper(input.profileId, input.id, input.field)),
  signKey: os.signKey.handler(({ input }) => receivers.signKey(input.profileId)),
  setSignKey: os.setSignKey.handler(({ input }) =>
    receivers.setSignKey(input.profileId, input.signKey, input.atService),
  ),
})
