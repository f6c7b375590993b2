const mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i

/** An IP address without IPv4-mapped prefix. */
export const plainAddress = (address: string | undefined): string => address?.replace(mapped, '') ?? ''
