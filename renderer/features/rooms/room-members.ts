import { ref, shallowRef, type ComputedRef, type Ref } from 'vue'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import { shownName } from '../../../contract/web-link.ts'
import { inBackground } from '../../background.ts'
import type { Services } from '../../data/services.ts'
import { later } from '../../data/timer.ts'
import type { Waiting } from './room-acts.ts'
import { allAccounts, type RoomForce } from './room-force.ts'
import type { RoomNotice } from './room-log.ts'
import type { RoomTries } from './room-tries.ts'

interface Person {
  readonly accid: string
  readonly nick: string
  readonly type: number
  readonly online: boolean
  readonly robot: boolean
  readonly since: number | null
}
const peoplePage = 100
/** Minimum time between reads, in ms. */
const quietFor = 500

/** People and queue of the shown room. */
export function createRoomMembers({
  rpc,
  companion,
  profileId,
  roomid,
  force,
  trying,
  wasRead,
}: Pick<Services, 'rpc'> &
  Pick<RoomTries, 'trying'> & {
    readonly companion: { readonly extended: boolean }
    readonly profileId: ComputedRef<string>
    readonly roomid: Ref<number | null>
    readonly force: Pick<RoomForce, 'reading'>
    readonly wasRead: () => void
  }) {
  const people = shallowRef<readonly Person[]>([])
  const morePeople = ref(false)
  const reads = ref(0)
  const queue = shallowRef<readonly Waiting[]>([])
  const readForce = async (): Promise<void> => {
    const [id, profile] = [roomid.value, profileId.value]
    if (id === null || !companion.extended) return
    const finish = force.reading()
    const ask = (after: string | undefined) => ({
      profileId: profile,
      call: { roomid: id, ...(after !== undefined && { after }) },
    })
    const [muted, blacklisted] = await Promise.all([
      allAccounts(async (after) => (await rpc.operations.local.muted(ask(after))).ret),
      allAccounts(async (after) => (await rpc.operations.local.blacklisted(ask(after))).ret),
    ])
    if (id === roomid.value && profile === profileId.value) finish({ muted, blacklisted })
  }
  const readQueue = async (): Promise<void> => {
    const [id, profile] = [roomid.value, profileId.value]
    if (id === null) return
    const { desc } = await rpc.operations.queue.list({ profileId: profile, call: { roomid: id } })
    if (id !== roomid.value || profile !== profileId.value) return
    queue.value = desc.list.flatMap((element) =>
      Object.entries(element).map(([key, value]) => ({ key, value: String(value) })),
    )
  }
  const readPeople = async (): Promise<void> => {
    const [id, profile] = [roomid.value, profileId.value]
    if (id === null) return
    await trying('people', async () => {
      const page = async (type: number): Promise<Person[]> => {
        const { desc } = await rpc.operations.chatrooms.membersByPage({
          profileId: profile,
          call: { roomid: id, type, limit: peoplePage },
        })
        return desc.data.map(({ accid, nick, type: role, onlineStat, isRobot, enterTime }) => ({
          accid,
          nick: shownName(nick, accid),
          type: role,
          online: onlineStat,
          robot: isRobot === true,
          since: enterTime ?? null,
        }))
      }
      const [fixed, others] = await Promise.all([page(0), page(1), readQueue(), readForce()])
      if (id !== roomid.value || profile !== profileId.value) return
      people.value = [...fixed, ...others]
      morePeople.value = fixed.length >= peoplePage || others.length >= peoplePage
      wasRead()
      reads.value += 1
    })
  }
  const ask = async (accids: readonly string[]) => {
    if (roomid.value === null) return []
    const { desc } = await rpc.operations.chatrooms.queryMembers({
      profileId: profileId.value,
      call: { roomid: roomid.value, accids: [...accids] },
    })
    return desc.data
  }
  const soon = (read: () => Promise<unknown>): (() => void) => {
    let due: (() => void) | undefined
    return () => {
      due ??= later(quietFor, () => {
        due = undefined
        inBackground(read())
      })
    }
  }
  const readPeopleSoon = soon(readPeople)
  const readQueueSoon = soon(() => trying('queue', readQueue))
  /** Applies an entry or leave without reading; nobody is added to an incomplete list. */
  const moved = ({ id, target, names }: RoomNotice, at: number): void => {
    const others = people.value.filter(({ accid }) => !target.includes(accid))
    const known = people.value.filter(({ accid }) => target.includes(accid))
    const isIn = id === roomNotices.entered
    const stayed = known.flatMap((one) =>
      isIn || one.robot || one.type !== 3 ? [{ ...one, online: isIn || one.robot }] : [],
    )
    const fresh = target
      .map((accid, index) => ({
        accid,
        nick: shownName(names[index] ?? '', accid),
        type: 3,
        online: true,
        robot: false,
        since: at,
      }))
      .filter(({ accid }) => isIn && !morePeople.value && !known.some((one) => one.accid === accid))
    if (others.length + stayed.length + fresh.length > 2 * peoplePage) morePeople.value = true
    people.value = [...others, ...stayed, ...(morePeople.value ? [] : fresh)]
  }
  return {
    people,
    morePeople,
    reads,
    queue,
    readPeople,
    readForce,
    ask,
    readPeopleSoon,
    readQueueSoon,
    moved,
    renamed: ({ target, names }: RoomNotice): void => {
      people.value = people.value.map((one) => ({
        ...one,
        nick: shownName(names[target.indexOf(one.accid)] ?? one.nick, one.accid),
      }))
    },
    clear(): void {
      people.value = []
      queue.value = []
    },
  }
}
