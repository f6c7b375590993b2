import { systemClock } from '../../../platform/clock.ts'
import { createRoomGate, maxChanges } from '../../rooms/room-gate.ts'
import { nobody, type Room } from '../../rooms/room.ts'
import { plainForm, skeletonOf } from '../../words/folding.ts'
import { createWordMatcher } from '../../words/word-matcher.ts'
import { Refused } from '../../refusal.ts'
import type { SeededRandom } from './random.ts'
import { promise, type FuzzTarget } from './target.ts'

const word = 'villain'
const isCaught = createWordMatcher([word])
const pieces = [
  'villain',
  'VILLAIN',
  'v\u0456llain',
  'vi\u200bllain',
  'vill\u00e1in',
  '\u{1d42f}illain',
  'viIIain',
  'host',
  'Mei',
  '\u202e',
  '中',
  ' ',
  '\u0301',
  '\ud800',
  '😀',
  '"',
  '\\',
  '{',
  '1',
]
const roomid = 7
const row = {
  roomid,
  uid: 1,
  creator: 'cara',
  name: '',
  announcement: '',
  broadcasturl: '',
  ext: '',
  queueLimit: 0,
  cid: null,
  created: 0,
}
const texts = (input: Buffer): string[] => input.toString('utf8').split('\u0000')

/**
 * The gate of a room in any state: only `Refused` is thrown, muted or early changes show nothing new, and no listed
 * word is shown, however disguised.
 */
export const gateTarget: FuzzTarget = {
  name: 'gate',
  make(random: SeededRandom) {
    const one = (): string =>
      Array.from({ length: random.below(6) }, () =>
        random.below(4) === 0 ? String.fromCodePoint(random.below(0xd800)) : random.pick(pieces),
      ).join('')
    return Buffer.from(Array.from({ length: 4 }, one).join('\u0000'))
  },
  check(input, random) {
    const [nick = '', ext = '', avatar = '', said = ''] = texts(input)
    const state = random.below(6)
    const members = new Map([
      [
        'mona',
        {
          roomid,
          accid: 'mona',
          ...nobody,
          updated: 0,
          blacklisted: Number(state === 1),
          muted: Number(state === 2),
          mutedUntil: state === 3 ? 2000 : 0,
        },
      ],
    ])
    const room = {
      row: { ...row, valid: 1, muted: Number(state === 4), slow: state === 5 ? 30 : 0 },
      members,
      inside: new Map(),
      robots: new Map(),
    } as unknown as Room
    const given = new Map<string, string>()
    const names = {
      of: (_roomid: number, accid: string) => given.get(accid),
      give(_room: Room, accid: string, asked: string) {
        given.set(accid, asked)
        return { name: asked }
      },
    }
    let time = 0
    const gate = createRoomGate({
      words: { catches: (_uid, text) => isCaught(text) },
      names,
      deliveries: { take: () => 0 },
      clock: { ...systemClock, now: () => 1000, monotonic: () => time },
    })
    const card = { name: 'Mona', icon: '' }
    const first = gate.appear(room, 'mona', {}, card)
    promise(first.nick === 'Mona' && first.ext === '', 'who asks for nothing is shown by the card')
    let changes = 0
    for (let round = 0; round < 3; round++) {
      const before = given.get('mona')
      const shown = gate.appear(room, 'mona', { nick, ext, avatar: round === 0 ? avatar : undefined }, card)
      promise(
        !isCaught(shown.nick) && !isCaught(shown.ext) && !isCaught(shown.avatar),
        'nothing that is shown holds a word of the list',
      )
      if (state >= 1 && state <= 4)
        promise(shown.nick === 'Mona' && shown.ext === '' && shown.avatar === '', 'whoever is muted is shown as before')
      if (shown.nick !== before) changes += 1
      time += 10
    }
    promise(changes <= (state === 5 ? 1 : maxChanges), 'changes are rated, and slow mode has one')
    const plain = plainForm(said)
    promise(
      plainForm(plain) === plain && skeletonOf(skeletonOf(plain)) === skeletonOf(plain),
      'folding what is folded changes nothing',
    )
    try {
      const caught = gate.speak(room, { from: 'mona', clientId: 'x', texts: [said] })
      promise(state === 0 || state === 5, 'whoever is muted says nothing')
      promise(caught === isCaught(said), 'the word list decides')
      return 'taken'
    } catch (error) {
      if (error instanceof Refused) return 'refused'
      throw error
    }
  },
}
