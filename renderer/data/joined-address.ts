/** The joined room that the page of this address shows; null for the app's own page. */
export const joinedOf = (search: string): string | null => /^\?joined=([0-9a-f]{16})$/.exec(search)?.[1] ?? null

/** The address of the page of a joined room. */
export const joinedAddress = (id: string): string => `/?joined=${id}`

/** Paths of media as the page that shows them asks for them: those of a joined room come by way of its computer. */
export const mediaPaths = <T extends Readonly<Record<string, string | null>>>(
  paths: T,
  search: string,
): { [K in keyof T]: string | null } => {
  const joined = joinedOf(search)
  const all = Object.entries(paths).map(([name, path]) => [
    name,
    path === null || joined === null ? path : `/joined/${joined}${path}`,
  ])
  return Object.fromEntries(all) as { [K in keyof T]: string | null }
}
