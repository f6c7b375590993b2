import type { Field, Fields } from '../../contract/field.ts'

/** Stands for a secret. */
export const masked = '••••••••'

const maskValue = (field: Field | undefined, value: unknown): unknown => {
  if (field === undefined || value === undefined || value === null) return value
  if (field.secret) return value === '' ? '' : masked
  if (field.kind === 'object') return mask(field.members, value)
  if (field.kind === 'list' && Array.isArray(value))
    return value.map((element: unknown) => maskValue(field.of, element))
  return value
}

/** A copy with the contract's secret members masked. */
export function mask(members: Fields, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      maskValue(Object.hasOwn(members, name) ? members[name] : undefined, member),
    ]),
  )
}

const words = /^(token|secret|signkey|pushurl|password|appsecret|wssecret)$/i
const query = /([?&](?:wsSecret|token|ticket)=)[^&#"\s]+/gi

const maskNamed = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(query, `$1${masked}`)
  if (Array.isArray(value)) return value.map(maskNamed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && member !== '' && words.test(name) ? masked : maskNamed(member),
    ]),
  )
}

/** Also masks by name: a hosted service may answer more than the contract says. */
export const maskAnswer = (members: Fields, answer: unknown): unknown => maskNamed(mask(members, answer))

/** A form's text with its secret fields masked. */
export function maskText(members: Fields, form: string): string {
  return form
    .split('&')
    .map((pair) => {
      const name = decodeURIComponent(pair.slice(0, Math.max(0, pair.indexOf('='))))
      return Object.hasOwn(members, name) && members[name]?.secret ? `${name}=${masked}` : pair
    })
    .join('&')
}
