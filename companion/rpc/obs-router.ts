import type { Obs } from '../obs/obs.ts'
import type { RpcImplementer } from './implementer.ts'

/** Procedures of OBS. */
export const obsRouter = (os: RpcImplementer['obs'], obs: Obs) => ({
  state: os.state.handler(() => obs.state()),
  configure: os.configure.handler(({ input }) => obs.configure(input)),
  connect: os.connect.handler(() => obs.connect()),
  setUp: os.setUp.handler(({ input }) => obs.setUp(input.profileId, input.cid)),
  start: os.start.handler(() => obs.start()),
  stop: os.stop.handler(() => obs.stop()),
  goLive: os.goLive.handler(({ input }) => obs.goLive(input.profileId, input.cid, input.instead)),
})
