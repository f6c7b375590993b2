import { isContractProcedure } from '@orpc/contract'
import type { AnyContractProcedure, InferContractRouterInputs, InferContractRouterOutputs } from '@orpc/contract'
import { ORPCError } from '@orpc/client'
import { rpc, type FailureData, type Rpc } from '../../contract/rpc/index.ts'
import { local } from '../../contract/operations/index.ts'
import { pageOperations } from '../../contract/rpc/operations.ts'
import { AppEvent } from '../../contract/rpc/events.ts'
import type { Operation } from '../../contract/operation.ts'
import { membersFault } from '../../contract/validate.ts'
import type { RpcClient } from '../data/client.ts'

type PathsOf<R> = {
  [K in keyof R & string]: R[K] extends AnyContractProcedure ? K : `${K}.${PathsOf<R[K]>}`
}[keyof R & string]
/** A procedure of the contract by its path, as `push.card` or `operations.local.held`. */
export type ProcedurePath = PathsOf<Rpc>

type MemberAt<T, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? MemberAt<T[Head], Rest>
    : never
  : P extends keyof T
    ? T[P]
    : never
/** What a procedure takes, and what it answers. */
export type InputOf<P extends ProcedurePath> = MemberAt<InferContractRouterInputs<Rpc>, P>
/** What a procedure answers. */
export type OutputOf<P extends ProcedurePath> = MemberAt<InferContractRouterOutputs<Rpc>, P>
/** What a test answers to procedures; one that throws rejects, as over the wire. */
export type Answers = {
  readonly [P in ProcedurePath]?: (input: InputOf<P>) => OutputOf<P> | Promise<OutputOf<P>>
}

/** A call that was made: its procedure, and its input as the contract reads it. */
export interface Call {
  readonly path: ProcedurePath
  readonly input: unknown
}

/** A failure as the companion declares it. */
export const failed = (data: Partial<FailureData> = {}): ORPCError<'FAILED', FailureData> =>
  new ORPCError('FAILED', {
    defined: true,
    status: 500,
    data: { kind: 'internal', code: null, skewSeconds: null, detail: 'refused by the test', ...data },
  })

interface Schema {
  readonly '~standard': { validate(value: unknown): unknown }
}
interface Result {
  readonly value?: unknown
  readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] | undefined
}

/** A value as a schema of the contract reads it; what it does not take is given to `refuse`. */
function read(
  schema: Schema | undefined,
  value: unknown,
  refuse: (issues: NonNullable<Result['issues']>) => Error,
): unknown {
  if (schema === undefined) return value
  const result = schema['~standard'].validate(value) as Result
  if (result.issues) throw refuse(result.issues)
  return result.value
}

const texts = (issues: NonNullable<Result['issues']>): string =>
  issues.map(({ path, message }) => `${(path ?? []).map(String).join('.')}: ${message}`).join('; ')

/** The operation behind a path, of whose answer the contract of the service says more than its schema. */
function operationAt(path: string): Operation | undefined {
  const [root, group, name] = path.split('.')
  if (path === 'rooms.history') return local.roomHistory
  return root === 'operations'
    ? (pageOperations as Readonly<Record<string, Readonly<Record<string, Operation>>>>)[group ?? '']?.[name ?? '']
    : undefined
}

/** A client in memory, with the procedures of the contract and the answers of a test. */
export interface MemoryClient {
  readonly rpc: RpcClient
  /** Every call, in the order in which they were made. */
  readonly calls: readonly Call[]
  /** Inputs of the calls of one procedure. */
  inputs<P extends ProcedurePath>(path: P): InputOf<P>[]
  /** Answers differently from now on. */
  answer(answers: Answers): void
  /** What was wrong by the contract: inputs that it refuses and answers of the test that it does not have. Whoever ends a test looks here. */
  readonly faults: readonly Error[]
  /** Sends an event to whoever follows `app.events`; one that the contract does not have is refused. */
  push(event: AppEvent): void
}

/**
 * A client made of the contract: it has its procedures and no others, refuses an input that its schema does not take as the companion does, and
 * rejects with what is wrong where a test answers what the contract does not have. Procedures that a test does not answer reject.
 */
export function createMemoryClient(first: Answers = {}): MemoryClient {
  let answers = first
  const calls: Call[] = []
  const faults: Error[] = []
  const listeners = new Set<(event: AppEvent) => void>()

  const call = async (path: ProcedurePath, procedure: AnyContractProcedure, given: unknown): Promise<unknown> => {
    const { inputSchema, outputSchema } = procedure['~orpc']
    const input = read(inputSchema, given, (issues) => {
      const error = new ORPCError('BAD_REQUEST', { message: `${path}: ${texts(issues)}`, data: { issues } })
      faults.push(error)
      return error
    })
    calls.push({ path, input })
    const answer = answers[path] as ((input: unknown) => unknown) | undefined
    if (!answer) throw new Error(`${path} is not answered by this test`)
    const output = await answer(input)
    const wrong = (why: string): Error => {
      const error = new Error(`the test's answer to ${path} is not the contract's: ${why}`)
      faults.push(error)
      return error
    }
    const operation = operationAt(path)
    const fault = operation && membersFault(operation.answer, output)
    if (fault !== undefined) throw wrong(fault)
    return read(outputSchema, output, (issues) => wrong(texts(issues)))
  }

  async function* events(): AsyncGenerator<AppEvent> {
    const queue: AppEvent[] = []
    let wake: (() => void) | undefined
    const listen = (event: AppEvent): void => {
      queue.push(event)
      wake?.()
    }
    listeners.add(listen)
    try {
      for (;;) {
        for (let event = queue.shift(); event; event = queue.shift()) yield event
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      listeners.delete(listen)
    }
  }

  const clientOf = (router: object, prefix: string): object =>
    Object.fromEntries(
      Object.entries(router).map(([name, member]: [string, unknown]) => {
        const path = `${prefix}${name}` as ProcedurePath
        if (path === 'app.events') return [name, () => Promise.resolve(events())]
        return [
          name,
          isContractProcedure(member)
            ? (input?: unknown) => call(path, member, input)
            : clientOf(member as object, `${path}.`),
        ]
      }),
    )

  return {
    rpc: clientOf(rpc, '') as RpcClient,
    calls,
    faults,
    inputs: <P extends ProcedurePath>(path: P) =>
      calls.filter((one) => one.path === path).map(({ input }) => input as InputOf<P>),
    answer: (more) => {
      answers = { ...answers, ...more }
    },
    push: (event) => {
      const told = AppEvent.parse(event)
      for (const listen of listeners) listen(told)
    },
  }
}
