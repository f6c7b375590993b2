import { accounts, chatrooms } from '../../../contract/operations/index.ts'
import type { Arguments } from '../../../contract/operation.ts'
import type { ServiceOptions } from '../../service.ts'
import { linkUser, type LinkUser } from '../../link/testing/link-user.ts'
import { startService, testCredentials, type TestService } from '../../testing/start-service.ts'

/** Accounts of the room tests. */
export const people = ['cara', 'adam', 'abby', 'mona', 'mike', 'nora', 'tim', 'bill', 'stan'] as const

/** A service with accounts, and rooms of cara. */
export interface RoomRig extends TestService {
  /**
   * Makes a room; with `roles`, adam and abby are admins, mona and mike ordinary, nora muted, tim muted for an hour,
   * bill blacklisted.
   */
  room(options?: { readonly roles?: boolean; readonly name?: string; readonly creator?: string }): Promise<number>
  role(roomid: number, target: string, opt: 1 | 2 | -1 | -2, optvalue?: boolean, operator?: string): Promise<number>
  mute(roomid: number, target: string, muteDuration: number, operator?: string): Promise<number>
  /** Opens a link for an account; closed with the service. */
  user(accid: string, device?: string): Promise<LinkUser>
  /** The same for an account of the test. */
  login(accid: string, token: string, device?: string): Promise<LinkUser>
}

/** Starts one; options replace the defaults. */
export async function startRooms(options: Partial<ServiceOptions> = {}): Promise<RoomRig> {
  const service = await startService(options)
  const tokens = new Map<string, string>()
  const users: LinkUser[] = []
  for (const accid of people) {
    const made = await service.call(accounts.create, { accid, name: accid.toUpperCase(), token: `token-${accid}` })
    if (made.code !== 200 && made.desc !== 'already register') throw new Error(made.desc)
    tokens.set(accid, `token-${accid}`)
  }
  const codeOf = async <O extends (typeof chatrooms)[keyof typeof chatrooms]>(
    operation: O,
    args: Arguments<O>,
  ): Promise<number> => (await service.call(operation, args)).code
  const rig: RoomRig = {
    ...service,
    async room({ roles = false, name = 'the room', creator = 'cara' } = {}) {
      const { roomid } = (await service.call(chatrooms.create, { creator, name })).chatroom!
      if (!roles) return roomid
      for (const admin of ['adam', 'abby']) await rig.role(roomid, admin, 1)
      for (const ordinary of ['mona', 'mike']) await rig.role(roomid, ordinary, 2)
      await rig.role(roomid, 'nora', -2)
      await rig.role(roomid, 'bill', -1)
      await rig.mute(roomid, 'tim', 3600)
      return roomid
    },
    role: (roomid, target, opt, optvalue = true, operator = 'cara') =>
      codeOf(chatrooms.setMemberRole, { roomid, operator, target, opt, optvalue }),
    mute: (roomid, target, muteDuration, operator = 'cara') =>
      codeOf(chatrooms.temporaryMute, { roomid, operator, target, muteDuration }),
    user: (accid, device) => rig.login(accid, tokens.get(accid)!, device),
    async login(accid, token, device = `${accid}-web`) {
      const user = linkUser(service.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token, device })
      users.push(user)
      await user.online()
      return user
    },
    async stop() {
      for (const user of users.splice(0)) user.close()
      await service.stop()
    },
    async close() {
      for (const user of users.splice(0)) user.close()
      await service.close()
    },
  }
  return rig
}
