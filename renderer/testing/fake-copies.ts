import { implement } from '@orpc/server'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { rpc, type CopyReceiver, type ReceivedCopy } from '../../contract/rpc/index.ts'

const message = {
  eventType: '1',
  convType: 'PERSON',
  to: 'mei',
  fromAccount: 'ana',
  fromClientType: 'REST',
  msgTimestamp: '1800000000000',
  msgType: 'TEXT',
  body: '今晚九点开播 <b>不是标签</b>',
  msgidServer: '90071',
  resendFlag: '0',
}
const session = {
  eventType: '2',
  accid: 'mei',
  clientIp: '127.0.0.1',
  clientType: 'WEB',
  code: '200',
  sdkVersion: '9',
  timestamp: '1800000000000',
}

/** Message copies that came in: one of each verdict and of each kind, newest first. */
function makeCopies(at: number, verified: boolean): ReceivedCopy[] {
  const came: readonly (Pick<ReceivedCopy, 'verdict' | 'fields'> & Partial<ReceivedCopy>)[] = [
    { verdict: 'accepted', fields: message },
    { verdict: 'duplicate', fields: message, test: 'replay', stale: true },
    { verdict: 'forged', fields: {}, test: 'tamper', why: reasonOf('copy', 'digest') },
    { verdict: 'accepted', fields: session },
    { verdict: 'accepted', fields: { ...session, eventType: '3' } },
    { verdict: 'ignored', fields: { eventType: '77' }, why: reasonOf('copy', 'kind') },
    { verdict: 'unreadable', fields: {}, why: reasonOf('copy', 'body') },
    { verdict: 'probe', fields: {} },
  ]
  return came.map((each, index) => ({
    id: came.length - index,
    at: at - index * 60_000,
    verified: verified && each.verdict !== 'forged' && each.verdict !== 'unreadable',
    stale: false,
    test: null,
    from: '127.0.0.1',
    why: null,
    ...each,
  }))
}

/** The procedures of the receiver of message copies, with one that listens. */
export function fakeCopies({ began, empty }: { readonly began: number; readonly empty: boolean }) {
  const os = implement(rpc).copies
  const here = 'http://127.0.0.1:9001/copy'
  const receiver = (profileId: string): CopyReceiver => ({
    profileId,
    phase: 'listening',
    host: '127.0.0.1',
    port: 9001,
    url: here,
    reason: null,
    open: false,
    verification: profileId === 'local' ? 'checked' : 'unverified',
    ignored: empty ? 0 : 1,
  })
  let target: { url: string | null; kinds: number[] } = { url: empty ? null : here, kinds: [1, 2, 3] }
  const off = (profileId: string): CopyReceiver => ({ ...receiver(profileId), phase: 'off', url: null })
  const tried = (id: number, more: Partial<ReceivedCopy>): ReceivedCopy => ({
    ...makeCopies(began, true)[0]!,
    id: id + 100,
    ...more,
  })

  return {
    state: os.state.handler(({ input }) => (empty ? off(input.profileId) : receiver(input.profileId))),
    start: os.start.handler(({ input }) => receiver(input.profileId)),
    stop: os.stop.handler(({ input }) => off(input.profileId)),
    list: os.list.handler(({ input }) =>
      empty ? [] : makeCopies(began, input.profileId === 'local').slice(0, input.limit),
    ),
    replay: os.replay.handler(({ input }) => tried(input.id, { verdict: 'duplicate', test: 'replay' })),
    tamper: os.tamper.handler(({ input }) =>
      tried(input.id, { verdict: 'forged', test: 'tamper', why: reasonOf('copy', 'digest'), fields: {} }),
    ),
    target: os.target.handler(() => target),
    setTarget: os.setTarget.handler(({ input }) => {
      target = { url: input.url, kinds: input.kinds }
    }),
  }
}
