import { setTimeout as wait } from 'node:timers/promises'
import type { LinkAnswer } from '../../contract/link/frames.ts'
import type { LinkPerson } from '../link-person.ts'

/** Somebody in a room who comes again when a node ends or when put out, and reads then what was said meanwhile. */
export interface KeptInside {
  isInside(): boolean
  /** Texts of the lines that came or were read. */
  heard(): ReadonlySet<string>
  /** How often it was put out of the room. */
  putOut(): number
  close(): Promise<void>
}

/** Keeps somebody inside; it stays out as long as `mayEnter` says so. */
export function keepInside(person: LinkPerson, roomid: number, mayEnter: () => boolean = () => true): KeptInside {
  const lines = new Set<string>()
  let [entered, isOpen, outs] = [false, true, 0]
  const putOut = (): number => person.of('roomOut').filter((out) => out.roomid === roomid).length
  const enter = async (): Promise<void> => {
    let answer: Pick<LinkAnswer<'roomHistory'>, 'lines' | 'more'> = await person.request('roomEnter', { roomid })
    // What was said since it was inside for the last time.
    for (;;) {
      const missed = answer.lines.filter(({ attach }) => !lines.has(attach))
      for (const { attach } of missed) lines.add(attach)
      if (missed.length === 0 || !answer.more) break
      answer = await person.request('roomHistory', { roomid, before: Number(answer.lines.at(-1)!.msgid) })
    }
    entered = true
  }
  const run = async (): Promise<void> => {
    for (; isOpen; await wait(20)) {
      if (!person.online() || putOut() > outs) {
        entered = false
        outs = putOut()
      } else if (!entered && mayEnter()) await enter().catch(() => undefined)
    }
  }
  const running = run()
  return {
    isInside: () => entered && person.online() && putOut() === outs,
    heard() {
      for (const line of person.of('roomMessage')) if (line.type === 0) lines.add(line.attach)
      return lines
    },
    putOut,
    async close() {
      isOpen = false
      person.close()
      await running
    },
  }
}
