import { plainReason } from '../../contract/catalogue/reasons.ts'
import type { RevokeStep } from '../../contract/rpc/index.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'
import type { RouterPorts } from './ports.ts'

/** Procedures of moderators' seats. */
export function seatsRouter(
  os: RpcImplementer['seats'],
  { moderators, rooms }: Pick<RouterPorts, 'moderators' | 'rooms'>,
) {
  const notDone = ({ steps }: { readonly steps: readonly RevokeStep[] }): string =>
    steps.flatMap(({ what, ok, reason }) => (ok ? [] : [`${what}: ${reason ? plainReason(reason) : ''}`])).join('; ')
  /** Logs an action on a seat in its room. */
  const onSeat = <T>(
    id: string,
    kind: 'invite' | 'revoke',
    work: () => Promise<T>,
    leftOf?: (value: T) => string,
  ): Promise<T> => {
    const seat = moderators.board().seats.find((each) => each.id === id)
    return seat ? rooms.record(seat.profileId, seat.roomid, { kind, target: seat.accid }, work, leftOf) : work()
  }

  return {
    ...forwarded('seats', os, moderators),
    invite: os.invite.handler(({ input: { profileId, roomid, accid, name } }) =>
      rooms.record(profileId, roomid, { kind: 'invite', target: accid }, () =>
        moderators.invite(profileId, roomid, accid, name),
      ),
    ),
    inviteAgain: os.inviteAgain.handler(({ input }) =>
      onSeat(input.id, 'invite', () => moderators.inviteAgain(input.id)),
    ),
    revoke: os.revoke.handler(({ input }) => onSeat(input.id, 'revoke', () => moderators.revoke(input.id), notDone)),
  }
}
