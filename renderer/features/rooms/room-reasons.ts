import { computed, ref, shallowReactive, type Ref } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import { sendFrom } from '../../sent-text.ts'

/** What was typed as the reason of measures, by the person against whom they are: it goes with no measure against another. */
export interface RoomReasons {
  of(accid: string): Ref<string>
  /** Takes a measure. The reason goes along, and is emptied, only if the card of the same person is open: a hidden reason is not sent. */
  send(measure: Measure, take: (why: string) => Promise<boolean>): Promise<boolean>
  /** The reason as it is typed in a question: it counts when that is answered with yes. */
  readonly asked: Ref<string>
  /** A question about a person begins with the reason that stands in their card. */
  ask(accid: string): void
  answer(accid: string, take: (why: string) => Promise<boolean>): Promise<boolean>
  clear(): void
}

/** Makes it; `shown` is the person whose card is open. */
export function createRoomReasons(shown: Readonly<Ref<string | null>>): RoomReasons {
  const reasons = shallowReactive(new Map<string, string>())
  const of = (accid: string): Ref<string> =>
    computed({
      get: () => reasons.get(accid) ?? '',
      set: (typed) => (typed === '' ? reasons.delete(accid) : reasons.set(accid, typed)),
    })
  const asked = ref('')
  const against = (accid: string, take: (why: string) => Promise<boolean>): Promise<boolean> =>
    sendFrom(of(accid), (typed) => take(typed.trim()))
  return {
    of,
    send: (measure, take) =>
      'target' in measure && measure.target === shown.value ? against(measure.target, take) : take(''),
    asked,
    ask(accid) {
      asked.value = of(accid).value
    },
    answer(accid, take) {
      of(accid).value = asked.value
      return against(accid, take)
    },
    clear() {
      reasons.clear()
    },
  }
}
