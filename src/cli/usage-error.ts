// What is wrong with the arguments of a command, and what would be right.
export class UsageError extends Error {}
