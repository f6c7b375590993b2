import type { Field, Fields } from '../../../contract/field.ts'
import { operations } from '../../../contract/operations/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import { readParameters, type ValueFault } from '../../../contract/validate.ts'

/** Text, boolean or rows of a list; undefined if not sent. */
export type FormValue = string | boolean | readonly string[] | undefined
/** Input by parameter. */
export type FormValues = Readonly<Record<string, FormValue>>
/** In the order of the documents. */
export interface OperationGroup {
  readonly name: string
  readonly operations: readonly Operation[]
}

/** Without streams and unserved operations; extensions only on this computer. */
export function groupsOf(local: boolean, all: readonly Operation[] = operations): OperationGroup[] {
  const groups = new Map<string, Operation[]>()
  for (const operation of all) {
    if (operation.pending || operation.stream || operation.startFlag || (operation.document === 'local' && !local))
      continue
    const name = operation.document === 'local' ? 'local' : operation.group
    groups.set(name, [...(groups.get(name) ?? []), operation])
  }
  return [...groups].map(([name, list]) => ({ name, operations: list }))
}

/** Filters operations by path, summary, parameter or code. */
export function search(groups: readonly OperationGroup[], query: string): OperationGroup[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return [...groups]
  const matches = ({ path, summary, parameters, codes }: Operation): boolean =>
    [path, summary, ...Object.keys(parameters)].some((text) => text.toLowerCase().includes(wanted)) ||
    codes.some((code) => String(code) === wanted)
  return groups
    .map(({ name, operations: list }) => ({ name, operations: list.filter(matches) }))
    .filter((group) => group.operations.length > 0)
}

/** The last segments of a path. */
export const shortPath = ({ path }: Operation): string =>
  path
    .replace(/^\/(app|local)\//, '')
    .replace(/^\//, '')
    .replace(/\.action$/, '')

const whole = /^-?(0|[1-9][0-9]{0,15})$/
const plain = (field: Field, text: string): unknown =>
  field.kind === 'integer' && whole.test(text.trim()) ? Number(text.trim()) : text

/** Without parameters that are not sent. */
export function parametersOf(
  fields: Fields,
  values: FormValues,
): Record<string, string | number | boolean | (string | number | boolean)[]> {
  const parameters: Record<string, string | number | boolean | (string | number | boolean)[]> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name]
    if (value === undefined) continue
    if (typeof value === 'boolean') parameters[name] = value
    else if (typeof value === 'string') parameters[name] = plain(field, value) as string | number
    else if (field.kind === 'list') parameters[name] = value.map((row) => plain(field.of, row) as string | number)
  }
  return parameters
}

/** Faults by parameter. */
export function faultsOf(operation: Operation, values: FormValues): Record<string, ValueFault> {
  const faults: Record<string, ValueFault> = {}
  const given = parametersOf(operation.parameters, values)
  for (const [name, field] of Object.entries(operation.parameters)) {
    const reading = readParameters(
      { ...operation, encoding: 'json', parameters: { [name]: field } },
      { [name]: given[name] },
    )
    if (reading.ok) continue
    const { kind, limit } = reading.refusal
    faults[name] = { kind, limit }
  }
  return faults
}

/** In short words: type, required, limits, default. */
export function constraints(field: Field, say: (word: 'required' | 'default') => string): string[] {
  const words: string[] = []
  if (field.kind === 'list') words.push(`list of ${field.of.kind}`)
  else words.push(field.kind)
  if (field.required) words.push(say('required'))
  if (field.kind === 'text' && field.json) words.push('JSON')
  const [min, max] = [
    field.kind === 'integer' || field.kind === 'list' ? field.min : undefined,
    'max' in field ? field.max : undefined,
  ].map((limit) => (limit === undefined ? undefined : String(limit)))
  if (min !== undefined && max !== undefined) words.push(`${min}–${max}`)
  else if (max !== undefined) words.push(`≤ ${max}`)
  else if (min !== undefined) words.push(`≥ ${min}`)
  if ('default' in field && field.default !== undefined) words.push(`${say('default')} ${String(field.default)}`)
  return words
}

/** The initial form, with visible defaults. */
export const freshForm = (operation: Operation): FormValues =>
  Object.fromEntries(
    Object.entries(operation.parameters).map(([name, field]) => [
      name,
      field.kind === 'list' && field.required ? [''] : undefined,
    ]),
  )

/** A saved set of values, without secrets. */
export interface Example {
  readonly name: string
  readonly path: string
  readonly values: FormValues
}

const maxExamples = 100
const isValue = (value: unknown): value is FormValue =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (Array.isArray(value) && value.every((row) => typeof row === 'string'))

/** Reads saved examples; ignores malformed ones. */
export function readExamples(text: string | null): Example[] {
  let all: unknown
  try {
    all = JSON.parse(text ?? '[]')
  } catch {
    return []
  }
  if (!Array.isArray(all)) return []
  return all
    .filter((one): one is Example => {
      const { name, path, values } = (one ?? {}) as Partial<Example>
      return (
        typeof name === 'string' &&
        typeof path === 'string' &&
        typeof values === 'object' &&
        values !== null &&
        Object.values(values).every(isValue)
      )
    })
    .slice(0, maxExamples)
}

/** Without secrets; replaces one of the same name and operation, and drops the oldest. */
export function withExample(
  all: readonly Example[],
  operation: Operation,
  name: string,
  values: FormValues,
): Example[] {
  const kept = Object.fromEntries(
    Object.entries(values).filter(
      ([parameter, value]) => value !== undefined && !operation.parameters[parameter]?.secret,
    ),
  )
  return [
    { name, path: operation.path, values: kept },
    ...all.filter((one) => one.path !== operation.path || one.name !== name),
  ].slice(0, maxExamples)
}

/** Splits a line of JSON for colouring. */
export function jsonLine(line: string): { readonly lead: string; readonly name: string; readonly rest: string } {
  const match = /^(\s*)("(?:[^"\\]|\\.)*")(:.*)$/s.exec(line)
  return match
    ? { lead: match[1] ?? '', name: match[2] ?? '', rest: match[3] ?? '' }
    : { lead: '', name: '', rest: line }
}
