/** The soft limit of open files of this process; Infinity without a limit, as on Windows. */
export function openFileLimit(report: typeof process.report): number {
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
