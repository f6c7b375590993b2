import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'
import type { RouterPorts } from './ports.ts'

/** Procedures of recordings. `changed`: a channel of a profile was changed. */
export const recordingsRouter = (
  os: RpcImplementer['recordings'],
  { recordings, play }: Pick<RouterPorts, 'recordings' | 'play'>,
  changed: (profileId: string) => void,
) => ({
  ...forwarded('recordings', os, recordings),
  configure: os.configure.handler(async ({ input }) => {
    await recordings.configure(input)
    changed(input.profileId)
  }),
  ticket: os.ticket.handler(({ input, context }) => play(input.profileId, input.vid, context.connection)),
})
