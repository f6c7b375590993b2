import { isContractProcedure } from '@orpc/contract'
import type { z } from 'zod'
import { rpc } from '../../contract/rpc/index.ts'
import type { ProcedureFacts } from '../../contract/rpc/procedure.ts'
import { secretsOf, type SecretPlaces } from '../../contract/rpc/secret.ts'

/** A procedure's facts and secrets. */
interface KnownProcedure extends ProcedureFacts {
  readonly input: z.core.$ZodType | undefined
  readonly output: z.core.$ZodType | undefined
  readonly secrets: { readonly input: SecretPlaces | undefined; readonly output: SecretPlaces | undefined }
}

/** As the library stores it. */
interface ContractProcedure {
  readonly '~orpc': {
    readonly meta: ProcedureFacts
    readonly inputSchema?: z.core.$ZodType
    readonly outputSchema?: z.core.$ZodType
  }
}
const placesIn = (schema: z.core.$ZodType | undefined): SecretPlaces | undefined => schema && secretsOf(schema)

/** Procedures by name. */
export const procedures: ReadonlyMap<string, KnownProcedure> = new Map(collect(rpc, ''))

function* collect(routes: object, path: string): Generator<[string, KnownProcedure]> {
  for (const [name, route] of Object.entries(routes) as [string, object][]) {
    if (!isContractProcedure(route)) {
      yield* collect(route, `${path}${name}.`)
      continue
    }
    const { meta, inputSchema: input, outputSchema: output } = (route as unknown as ContractProcedure)['~orpc']
    yield [path + name, { ...meta, input, output, secrets: { input: placesIn(input), output: placesIn(output) } }]
  }
}

/** A procedure by its path. */
export const procedureAt = (path: readonly string[]): KnownProcedure | undefined => procedures.get(path.join('.'))
