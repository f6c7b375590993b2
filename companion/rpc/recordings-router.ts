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
  state: os.state.handler(({ input }) => recordings.state(input.profileId, input.cid)),
  configure: os.configure.handler(async ({ input: { profileId, cid, ...choice } }) => {
    await recordings.configure(profileId, cid, choice)
    changed(profileId)
  }),
  list: os.list.handler(({ input }) => recordings.list(input.profileId, input.cids, input.beginTime, input.endTime)),
  all: os.all.handler(({ input: { profileId, ...request } }) => recordings.all(profileId, request)),
  deletedChannels: os.deletedChannels.handler(({ input }) => recordings.deletedChannels(input.profileId)),
  ticket: os.ticket.handler(({ input, context }) => play(input.profileId, input.vid, context.connection)),
  show: os.show.handler(({ input }) => recordings.show(input.profileId, input.vid)),
  remove: os.remove.handler(({ input }) => recordings.remove(input.profileId, input.vids)),
  merge: os.merge.handler(({ input }) => recordings.merge(input.profileId, input.outputName, input.vids)),
  merges: os.merges.handler(({ input }) => recordings.merges(input.profileId)),
  cancelMerge: os.cancelMerge.handler(({ input }) => recordings.cancelMerge(input.profileId, input.taskId)),
  mark: os.mark.handler(({ input }) => recordings.mark(input.profileId, input.cid, input.label)),
  markers: os.markers.handler(({ input }) =>
    recordings.markers(input.profileId, input.cids, input.beginTime, input.endTime),
  ),
  renameMarker: os.renameMarker.handler(({ input }) =>
    recordings.renameMarker(input.profileId, input.markerId, input.label),
  ),
  removeMarker: os.removeMarker.handler(({ input }) => recordings.removeMarker(input.profileId, input.markerId)),
  retention: os.retention.handler(({ input }) => recordings.retention(input.profileId)),
  setRetention: os.setRetention.handler(({ input: { profileId, ...retention } }) =>
    recordings.setRetention(profileId, retention),
  ),
  callbacks: os.callbacks.handler(({ input }) => recordings.callbacks(input.profileId, input.limit)),
  resend: os.resend.handler(({ input }) => recordings.resend(input.profileId, input.nId)),
})
