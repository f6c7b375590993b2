import type { Obs } from '../obs/obs.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of OBS. */
export const obsRouter = (os: RpcImplementer['obs'], obs: Obs) => ({
  ...forwarded('obs', os, obs),
  setUp: os.setUp.handler(({ input }) => obs.setUp(input.profileId, input.cid)),
  goLive: os.goLive.handler(({ input }) => obs.goLive(input.profileId, input.cid, input.instead)),
})
