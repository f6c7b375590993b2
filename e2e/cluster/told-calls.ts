import { setTimeout as wait } from 'node:timers/promises'
import type { Arguments, Operation } from '../../contract/operation.ts'
import { pathPrefix } from '../../service/http/dispatch.ts'
import { formOf, type SignedClient, type TestAnswer } from '../../service/testing/signed-client.ts'

/** Called too often: one calls again later. */
const tooOften = 416
/** How long a call is made again, in ms. */
const patience = 20_000

/** What calls met that was no success. */
export interface CallFaults {
  /** By operation and status or code: those after which the answer had a client call again. */
  readonly told: Record<string, number>
  /** All others: what a client cannot know how to go on from. */
  readonly untold: Record<string, number>
}

/**
 * Calls as a program does that keeps to what answers say: again after Retry-After, or when it called too often. What
 * the answer did not ask for is noted as a fault, and called again all the same, so that a run goes on.
 */
export function toldCalls(client: SignedClient, faults: CallFaults = { told: {}, untold: {} }) {
  let calls = 0
  /** Until it is answered with 200, or with a code that is `fine`. */
  async function call<O extends Operation>(
    operation: O,
    args: Arguments<O>,
    fine: readonly number[] = [],
  ): Promise<TestAnswer<O>> {
    const isForm = operation.encoding !== 'json'
    const type = isForm ? 'application/x-www-form-urlencoded;charset=utf-8' : 'application/json;charset=utf-8'
    const end = performance.now() + patience
    for (;;) {
      calls++
      let [fault, pause] = ['', 0]
      try {
        const { status, headers, text } = await client.raw(pathPrefix(operation) + operation.path, {
          headers: Object.entries({ 'content-type': type, ...client.sign() }),
          body: isForm ? formOf(args) : JSON.stringify(args),
        })
        if (status === 200) {
          const answer = JSON.parse(text) as TestAnswer<O>
          if (answer.code === 200 || fine.includes(answer.code)) return answer
          fault = `code ${answer.code}`
          if (answer.code === tooOften) pause = 1000
        } else {
          fault = `status ${status}`
          pause = 1000 * Number(headers['retry-after'] ?? 0)
        }
      } catch (error) {
        fault = (error as NodeJS.ErrnoException).code ?? String(error)
      }
      const kind = pause > 0 ? faults.told : faults.untold
      const name = `${operation.path} ${fault}`
      kind[name] = (kind[name] ?? 0) + 1
      if (performance.now() > end) throw new Error(`not answered within ${patience} ms: ${name}`)
      await wait(pause || 50)
    }
  }
  return { call, faults, calls: () => calls }
}
