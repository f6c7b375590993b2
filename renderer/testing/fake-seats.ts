import { implement } from '@orpc/server'
import { rpc, type AppEvent, type Seat, type SeatBoard } from '../../contract/rpc/index.ts'

const hour = 3_600_000
const fingerprint = Array.from({ length: 32 }, (_, index) =>
  ((index * 37 + 11) % 256).toString(16).padStart(2, '0').toUpperCase(),
).join(':')

/** Moderators in each state, with a listener that lets others in. */
const makeBoard = (at: number, empty: boolean): SeatBoard => {
  const seat = (change: Partial<Seat> & Pick<Seat, 'id' | 'accid' | 'name'>): Seat => ({
    profileId: 'local',
    roomid: 7001,
    cid: null,
    state: 'active',
    created: at - 300 * hour,
    codeUntil: null,
    sessions: 1,
    pages: 0,
    lastAt: at - 26 * hour,
    lastAction: 'signIn',
    address: '198.51.100.24',
    device: 'Firefox, Windows',
    owed: [],
    owedReason: null,
    ...change,
  })
  return {
    listener: empty
      ? {
          phase: 'off',
          open: false,
          port: 8720,
          urls: [],
          reason: null,
          certificate: 'none',
          fingerprint: null,
          certificateUntil: null,
          failures: 0,
        }
      : {
          phase: 'listening',
          open: true,
          port: 8720,
          urls: ['https://203.0.113.9:8720', 'https://127.0.0.1:8720'],
          reason: null,
          certificate: 'made',
          fingerprint,
          certificateUntil: at + 8_000 * hour,
          failures: 4,
        },
    unwritten: null,
    seats: empty
      ? []
      : [
          seat({
            id: '1'.repeat(16),
            accid: 'mei',
            name: 'Mei',
            pages: 1,
            sessions: 2,
            lastAt: at - 40_000,
            lastAction: 'temporaryMute',
            device: 'Chrome, macOS',
          }),
          seat({
            id: '2'.repeat(16),
            accid: 'xiaoyu',
            name: '小雨',
            state: 'invited',
            sessions: 0,
            lastAt: null,
            lastAction: null,
            address: null,
            device: null,
            codeUntil: at + 20 * hour,
          }),
          seat({
            id: '3'.repeat(16),
            accid: 'tomas',
            name: 'Tomás',
            state: 'revoked',
            sessions: 0,
            lastAction: 'removeLine',
          }),
        ],
  }
}

/** What a page is told of moderators when it begins to listen. */
export const seatEvents = (began: number, empty: boolean): AppEvent[] => [
  { type: 'seats', board: makeBoard(began, empty) },
]

/** The procedures about moderators. */
export function fakeSeats({ began, empty }: { readonly began: number; readonly empty: boolean }) {
  const os = implement(rpc).seats
  const board = makeBoard(began, empty)
  const invitation = () => ({
    seat: { ...(board.seats[1] ?? makeBoard(began, false).seats[1]!), name: '小雨' },
    code: 'kZ3vQ0aXn7Yt5LrB9sWdE1uF',
    token: '0f6b2c9d4e8a41735c1d9be2a7f05836',
    link: board.listener.phase === 'listening' ? `${board.listener.urls[0]}/#code=kZ3vQ0aXn7Yt5LrB9sWdE1uF` : null,
    appLink:
      board.listener.phase === 'listening'
        ? `sidestage://join?host=203.0.113.9:8720&accid=xiaoyu&code=kZ3vQ0aXn7Yt5LrB9sWdE1uF&fp=${fingerprint.replaceAll(':', '').toLowerCase()}`
        : null,
  })
  return {
    board: os.board.handler(() => board),
    invite: os.invite.handler(invitation),
    inviteAgain: os.inviteAgain.handler(invitation),
    revoke: os.revoke.handler(({ input }) => ({
      seat: {
        ...board.seats.find(({ id }) => id === input.id)!,
        state: 'revoked' as const,
        sessions: 0,
        pages: 0,
        owed: ['token' as const, 'link' as const],
      },
      steps: [
        { what: 'sessions' as const, ok: true, reason: null },
        { what: 'kept' as const, ok: true, reason: null },
        { what: 'role' as const, ok: true, reason: null },
        {
          what: 'token' as const,
          ok: false,
          reason: { code: 'away', params: { system: 'ECONNREFUSED 127.0.0.1:8710' } },
        },
        {
          what: 'link' as const,
          ok: false,
          reason: { code: 'away', params: { system: 'ECONNREFUSED 127.0.0.1:8710' } },
        },
      ],
    })),
    forget: os.forget.handler(() => undefined),
    listen: os.listen.handler(() => board.listener),
    makeCertificate: os.makeCertificate.handler(() => ({
      ...makeBoard(began, false).listener,
      phase: board.listener.phase,
    })),
    useCertificate: os.useCertificate.handler(() => ({
      ...makeBoard(began, false).listener,
      certificate: 'supplied' as const,
    })),
  }
}
