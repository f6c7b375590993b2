import type { RoomPush } from '../../contract/rpc/index.ts'
import { createRoomPanels, type RoomPanels } from './room-panels.ts'

/** The app's sessions in rooms of extended services, by profile. */
export type PanelSets = ReturnType<typeof createPanelSets>

/** Makes them with no room. */
export function createPanelSets(
  ports: Omit<Parameters<typeof createRoomPanels>[0], 'profileId' | 'pushed'> & {
    readonly pushed: (profileId: string, roomid: number, push: RoomPush) => void
  },
) {
  const sets = new Map<string, RoomPanels>()
  const of = (profileId: string): RoomPanels => {
    const known = sets.get(profileId)
    if (known) return known
    const made = createRoomPanels({
      ...ports,
      profileId,
      pushed: (roomid, push) => ports.pushed(profileId, roomid, push),
    })
    sets.set(profileId, made)
    return made
  }
  return {
    of,
    find: (profileId: string, roomid: number) => sets.get(profileId)?.find(roomid),
    renewed: (profileId: string, accid: string, token: string) => sets.get(profileId)?.renewed(accid, token),
    forget: (profileId: string) => {
      sets.get(profileId)?.end()
      sets.delete(profileId)
    },
    end: () => {
      for (const panels of sets.values()) panels.end()
      sets.clear()
    },
  }
}
