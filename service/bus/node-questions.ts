import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { NodeCommands } from './node-commands.ts'

/** How long a node may take to answer, in ms; one that is gone has no push any more by then. */
const answersWithin = 3000
/** Questions of one kind that wait for their answer. */
const maxWaiting = 1000

/** A node did not answer in time, or too many questions wait. */
export class NoAnswer extends Error {}

/**
 * Makes a kind of question to other nodes, of plain JSON values; the returned function asks one, and rejects with
 * `NoAnswer`, also when `answer` does there. It may have run where its answer is lost, so it must be one that may run
 * twice.
 */
export function createNodeQuestion<Question, Answer>(options: {
  readonly commands: NodeCommands
  readonly name: string
  readonly clock: Pick<Clock, 'after'>
  readonly answer: (question: Question) => Answer | Promise<Answer>
  /** How long an answer is waited for, in ms. */
  readonly within?: number
  readonly mostWaiting?: number
}): (node: string, question: Question) => Promise<Answer> {
  const { commands, name, clock, answer, within = answersWithin, mostWaiting = maxWaiting } = options
  const waiting = new Map<string, (answer: Answer) => void>()
  const tell = commands.kind<{ readonly id: string; readonly answer: Answer }>(`${name}-answer`, (told) =>
    waiting.get(told.id)?.(told.answer),
  )
  const send = commands.kind<{ readonly id: string; readonly from: string; readonly question: Question }>(
    name,
    ({ id, from, question }) => {
      Promise.resolve(question)
        .then(answer)
        .then(
          (given) => tell(from, { id, answer: given }),
          // The node that asked waits in vain, which is bounded.
          () => undefined,
        )
    },
  )
  return (node, question) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= mostWaiting) return reject(new NoAnswer(`too many questions wait for other nodes`))
      const id = randomUUID()
      const cancel = clock.after(within, () => {
        waiting.delete(id)
        reject(new NoAnswer(`node ${node} did not answer`))
      })
      waiting.set(id, (told) => {
        waiting.delete(id)
        cancel()
        resolve(told)
      })
      send(node, { id, from: commands.self, question })
    })
}
