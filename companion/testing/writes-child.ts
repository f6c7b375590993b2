import { startRig } from './rig.ts'

/**
 * An app with its service that writes into many stores at once until it is killed: `node writes-child.ts DIR FROM` says the ids of both
 * processes and the room, then every write that was acknowledged, with its number.
 */
const [dir = '', from = '0'] = process.argv.slice(2)
const profileId = 'local'
const rig = await startRig(dir)
if ((await rig.companion.serviceReady(150_000)) === undefined) throw new Error('the service did not start')
const { rpc } = rig.page
const known = (await rpc.rooms.list({ profileId })).rooms[0]
const { roomid } = known ?? (await rpc.rooms.create({ profileId, accid: 'host', name: 'Room', announcement: '' }))
const writes: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
  settings: (n) => rpc.app.changeSettings({ mutePresets: [60 + n] }),
  note: (n) => rpc.rooms.setNote({ profileId, accid: 'mei', text: `note ${n}` }),
  obs: (n) => rpc.obs.configure({ host: '127.0.0.1', port: 1_000 + n, enabled: false, password: null }),
  action: (n) => rpc.rooms.act({ profileId, roomid, measure: { kind: 'announce', text: `text ${n}` }, why: '' }),
  channel: (n) => rpc.channels.create({ profileId, name: `channel_${n}` }),
}
process.send?.({ pids: rig.processes.map(({ pid }) => pid), roomid })
await Promise.all(
  Object.entries(writes).map(async ([what, write]) => {
    for (let n = Number(from); ; n++) {
      await write(n)
      process.send?.({ what, n })
    }
  }),
)
